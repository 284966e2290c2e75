// Where files are unwrapped: the key, then each file. Right after an upload it also shows what to hand on.
import { downloadCategory } from '@furoshiki/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { Notice } from '../../ui/notice.tsx';
import styles from './download.module.css';
import { PageFiles } from './page-files.tsx';
import { ShareBox } from './share-box.tsx';
import { usePage } from './use-page.ts';

interface DownloadScreenProps {
  pageID: string;
  homePath: string;
  link: string;
  /** Known only in the tab that has just uploaded. */
  keyText: string | undefined;
}

export function DownloadScreen({ pageID, homePath, link, keyText }: DownloadScreenProps) {
  const { t } = useTranslation();
  const [view, reload] = usePage(pageID);
  return (
    <>
      <p>
        <Link href={homePath}>{t('download.back')}</Link>
      </p>
      {keyText !== undefined && <ShareBox link={link} keyText={keyText} />}
      {view.phase === 'loading' && <p className={styles.loading}>{t('app.loading')}</p>}
      {view.phase === 'failed' && <Notice kind="bad">{t(`downloadErrors.${downloadCategory(view.failure)}`)}</Notice>}
      {view.phase === 'not-found' && (
        <>
          <h1>{t('download.notFound')}</h1>
          <p>{t('download.notFoundHint')}</p>
        </>
      )}
      {view.phase === 'shown' && <PageFiles files={view.files} givenKey={keyText ?? ''} onChanged={reload} />}
    </>
  );
}
