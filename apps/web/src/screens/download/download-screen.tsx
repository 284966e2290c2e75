// The download page: the key field and the files. For the sender, right after the upload, it also shows link and key.
import { linkWithKey } from '@furoshiki/format';
import type { ReactNode } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { Link } from 'wouter';
import type { LinkKey } from '../../services.ts';
import { firstExpiry, formatDate } from '../../sharing/format-date.ts';
import { PageNotice } from '../../sharing/page-engine.tsx';
import { type SentKey, ShareBox } from '../../sharing/share-box.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { EmptyPage } from '../../ui/empty-page.tsx';
import { useFocusFallback } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/message.tsx';
import { DownloadPlaceholder } from '../placeholders.tsx';
import { pageErrorText } from './download-errors.tsx';
import styles from './download.module.css';
import { PageFiles } from './page-files.tsx';
import { useDownloadPage } from './use-download-page.ts';

interface DownloadScreenProps {
  /** Empty if the link has no page id. */
  pageId: string;
  homePath: string;
  link: string;
  /** The key of a finished upload, known only in the tab that uploaded. Undefined for recipients. */
  sentKey: SentKey | undefined;
  /** The key from the link, if it had one. */
  linkKey: LinkKey | undefined;
  /** Opens the home screen to send other files. */
  onNew: () => void;
}

export function DownloadScreen({ pageId, homePath, link, sentKey, linkKey, onNew }: DownloadScreenProps) {
  const { t, language } = useTranslation();
  const page = useDownloadPage(pageId, sentKey?.text, linkKey?.text);
  const { viewer, state, isGone } = page;
  const isOwn = viewer !== 'recipient';
  // The page that the sender has just sent disappears from the sender's list as soon as it cannot be downloaded any more.
  const isOver = page.phase === 'not-found' || (viewer === 'sender' && isGone);
  const screen = useFocusFallback<HTMLDivElement>(state);
  const expiry = firstExpiry(state.files);
  const date = expiry === undefined ? undefined : formatDate(expiry, language);
  const emptyPage = { picture: t('notFound.picture'), linkText: t('download.sendOwn'), homePath };
  return (
    <div ref={screen} tabIndex={-1}>
      <div className={styles.back}>
        <Link href={homePath} className={buttonClass('quiet')}>
          <Icon name="back" />
          {t('download.back')}
        </Link>
        {isOwn && !isOver && (
          <Button onPress={onNew}>
            <Icon name="plus" />
            {t('share.newUpload')}
          </Button>
        )}
      </div>
      {sentKey && !isGone && <ShareBox link={link} sentKey={sentKey} deletionDate={date} alsoAt="/" />}
      <PageNotice notice={state.notice} />
      {linkKey?.wasSent && <Notice kind="bad">{t('download.keyWasSent')}</Notice>}
      {isOver && isOwn && (
        <>
          <h1>{t('share.gone')}</h1>
          <p>{t('share.goneHint')}</p>
          <p>
            <Button kind="main" onPress={onNew}>
              {t('share.newUpload')}
            </Button>
          </p>
        </>
      )}
      {content()}
      {page.question}
    </div>
  );

  function content(): ReactNode {
    switch (page.phase) {
      case 'no-id':
        return (
          <EmptyPage {...emptyPage} title={t('download.noFiles')}>
            {t('download.checkUrl')}
          </EmptyPage>
        );
      case 'loading':
        return <DownloadPlaceholder isSender={isOwn} isWaitingForNetwork={state.isWaitingForNetwork} />;
      case 'failed':
        return (
          <>
            <h1>{t('download.title')}</h1>
            <Notice kind="bad">{pageErrorText(t, page.failure)}</Notice>
            <Button kind="main" onPress={page.retry}>
              {t('download.retry')}
            </Button>
          </>
        );
      case 'not-found':
        return isOwn ? undefined : (
          <EmptyPage {...emptyPage} title={t('download.notFound')}>
            {t('download.notFoundHint')}
          </EmptyPage>
        );
      case 'shown':
        return <PageFiles page={page} pageId={pageId} link={linkKey ? linkWithKey(link, linkKey.text) : link} />;
      default:
        return page satisfies never;
    }
  }
}
