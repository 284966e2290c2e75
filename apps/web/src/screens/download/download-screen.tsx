// Where files are unwrapped: the key, then each file. Right after an upload it also shows what to hand on.
import { linkWithKey } from '@furoshiki/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { firstEnd, formatDate } from '../../sharing/format-date.ts';
import { PageNotice } from '../../sharing/page-notice.tsx';
import { ShareBox } from '../../sharing/share-box.tsx';
import { StartingScreen } from '../../app/start-up/starting-screen.tsx';
import { buttonClass } from '../../ui/buttons/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useFocusRescue } from '../../ui/hooks/use-focus-fallback.ts';
import { downloadErrorText } from './download-error-text.ts';
import styles from './download.module.css';
import { PageFiles } from './page-files.tsx';
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
  const { t, i18n } = useTranslation();
  const page = useDownloadPage(pageID, handedOverKey ?? linkKey ?? '', handedOverKey !== undefined);
  const { state } = page;
  const isGone = state.phase === 'not-found';
  const screen = useFocusRescue<HTMLDivElement>(state);
  const end = firstEnd(state.files);
  const date = end === undefined ? undefined : formatDate(end, i18n.language);
  return (
    <div ref={screen} tabIndex={-1}>
      <p className={styles.back}>
        <Link href={homePath} className={buttonClass('quiet')}>
          <Icon name="back" />
          {t('download.back')}
        </Link>
      </p>
      {handedOverKey !== undefined && !isGone && <ShareBox link={link} keyText={handedOverKey} date={date} />}
      <PageNotice notice={state.notice} />
      {pageID === '' && <Nothing title={t('download.noFiles')} hint={t('download.checkUrl')} />}
      {pageID !== '' && state.phase === 'loading' && <StartingScreen name="download" isCutOff={state.isCutOff} />}
      {state.phase === 'failed' && state.failure && <Notice kind="bad">{downloadErrorText(t, state.failure)}</Notice>}
      {isGone && page.isSender && <Nothing title={t('share.status')} hint={t('share.downloadedAll')} />}
      {isGone && !page.isSender && <Nothing title={t('download.notFound')} hint={t('download.notFoundHint')} />}
      {state.phase === 'shown' && (
        <PageFiles page={page} pageID={pageID} link={linkKey === undefined ? link : linkWithKey(link, linkKey)} />
      )}
    </div>
  );
}

function Nothing({ title, hint }: { title: string; hint: string }) {
  return (
    <>
      <h1>{title}</h1>
      <p className={styles.soft}>{hint}</p>
    </>
  );
}
