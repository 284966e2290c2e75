// Where files are unwrapped: the key, then each file. Right after an upload it also shows what to hand on.
import { linkWithKey } from '@furoshiki/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { firstExpiry, formatDate } from '../../sharing/format-date.ts';
import { PageNotice } from '../../sharing/page-notice.tsx';
import { ShareBox } from '../../sharing/share-box.tsx';
import { buttonClass } from '../../ui/buttons/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useFocusFallback } from '../../ui/hooks/use-focus-fallback.ts';
import { downloadErrorText } from './download-error-text.ts';
import { DownloadPlaceholder } from './download-placeholder.tsx';
import styles from './download.module.css';
import { PageFiles } from './page-files.tsx';
import { useDownloadPage } from './use-download-page.ts';

interface DownloadScreenProps {
  /** Empty where the link has lost it. */
  pageId: string;
  homePath: string;
  link: string;
  /** Known only in the tab that has just uploaded. */
  freshKey: string | undefined;
  /** The key that came with the link, if any. */
  linkKey: string | undefined;
}

export function DownloadScreen({ pageId, homePath, link, freshKey, linkKey }: DownloadScreenProps) {
  const { t, i18n } = useTranslation();
  const page = useDownloadPage(pageId, freshKey ?? linkKey ?? '', freshKey !== undefined);
  const { state } = page;
  const isGone = state.phase === 'not-found';
  const screen = useFocusFallback<HTMLDivElement>(state);
  const end = firstExpiry(state.files);
  const date = end === undefined ? undefined : formatDate(end, i18n.language);
  return (
    <div ref={screen} tabIndex={-1}>
      <p className={styles.back}>
        <Link href={homePath} className={buttonClass('quiet')}>
          <Icon name="back" />
          {t('download.back')}
        </Link>
      </p>
      {freshKey !== undefined && !isGone && <ShareBox link={link} keyText={freshKey} date={date} />}
      <PageNotice notice={state.notice} />
      {pageId === '' && <Nothing title={t('download.noFiles')} hint={t('download.checkUrl')} />}
      {pageId !== '' && state.phase === 'loading' && (
        <DownloadPlaceholder isWaitingForNetwork={state.isWaitingForNetwork} />
      )}
      {state.phase === 'failed' && state.failure && <Notice kind="bad">{downloadErrorText(t, state.failure)}</Notice>}
      {isGone && page.isSender && <Nothing title={t('share.status')} hint={t('share.downloadedAll')} />}
      {isGone && !page.isSender && <Nothing title={t('download.notFound')} hint={t('download.notFoundHint')} />}
      {state.phase === 'shown' && (
        <PageFiles page={page} pageId={pageId} link={linkKey === undefined ? link : linkWithKey(link, linkKey)} />
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
