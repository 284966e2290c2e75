// Where files are unwrapped: the key, then each file. Right after an upload it also shows what to hand on.
import { downloadCategory } from '@furoshiki/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Notice } from '../../ui/notice.tsx';
import styles from './download.module.css';
import { PageFiles } from './page-files.tsx';
import { PageNotice } from './page-notice.tsx';
import { ShareBox } from './share-box.tsx';
import { useDownloadPage } from './use-download-page.ts';

interface DownloadScreenProps {
  /** Empty where the link has lost it. */
  pageID: string;
  homePath: string;
  link: string;
  /** Known only in the tab that has just uploaded. */
  handedOverKey: string | undefined;
  /** The key that came with the link, if any. */
  linkKey: string | undefined;
}

export function DownloadScreen({ pageID, homePath, link, handedOverKey, linkKey }: DownloadScreenProps) {
  const { t } = useTranslation();
  const page = useDownloadPage(pageID, handedOverKey ?? linkKey ?? '');
  const { state } = page;
  return (
    <>
      <p>
        <Link href={homePath}>{t('download.back')}</Link>
      </p>
      {handedOverKey !== undefined && <ShareBox link={link} keyText={handedOverKey} />}
      <PageNotice notice={state.notice} />
      {pageID === '' && (
        <>
          <h1>{t('download.noFiles')}</h1>
          <p>{t('download.checkUrl')}</p>
        </>
      )}
      {pageID !== '' && state.phase === 'loading' && <p className={styles.loading}>{t('app.loading')}</p>}
      {state.phase === 'failed' && state.failure && (
        <Notice kind="bad">{t(`downloadErrors.${downloadCategory(state.failure)}`)}</Notice>
      )}
      {state.phase === 'not-found' && (
        <>
          <h1>{t('download.notFound')}</h1>
          <p>{t('download.notFoundHint')}</p>
        </>
      )}
      {state.phase === 'shown' && <PageFiles page={page} link={link} />}
    </>
  );
}
