// The files of a page, and the actions for all of them.
import { isHidden, shownName } from '@furoshiki/format';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import {
  archiveProgress,
  canArchive,
  canDownload,
  fileStateOf,
  isPageBusy,
  missingCount,
  type PageState,
} from '@furoshiki/transfer';
import { Suspense } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { useServices } from '../../services.ts';
import { firstExpiry, formatDate, formatTimeUntil } from '../../sharing/format-date.ts';
import { TransferPanel } from '../../transfer/transfer-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { useNow } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { lazyComponent } from '../../ui/lazy.tsx';
import { Notice } from '../../ui/message.tsx';
import { downloadErrorText } from './download-errors.tsx';
import styles from './download.module.css';
import { canOpen, FileRow, QueuePositions, rowOf, SaveAgain } from './file-row.tsx';
import { KeyEntry } from './key-entry.tsx';
import { ReportButton } from './report-button.tsx';
import type { ShownPage } from './use-download-page.ts';

/** Loaded when the first file is opened. */
const PreviewDialog = lazyComponent(async () => (await import('./preview-dialog.tsx')).PreviewDialog);

const TITLES = { recipient: 'download.title', sender: 'share.status', 'old-sender': 'share.sent' } as const;

interface PageFilesProps {
  page: ShownPage;
  pageId: string;
  /** The link as the user opened it, with the key if it had one. */
  link: string;
}

export function PageFiles({ page, pageId, link }: PageFilesProps) {
  const { t, language } = useTranslation();
  const { copyText } = useServices();
  const { viewer, state, engine } = page;
  const { deletion } = state;
  /** Whether the names are hidden, and the key is not entered yet. */
  const isLocked = state.files.every((file) => isHidden(file) && !file.opened);
  const nowMs = useNow();
  const totalBytes = state.files.reduce((sum, file) => sum + file.fileSize, 0);
  const expiry = firstExpiry(state.files);
  const allFiles = state.files.length > 1 && !isLocked && <AllFiles page={page} pageId={pageId} />;
  // The sender's page already has an h1 above.
  const Title = viewer === 'sender' ? 'h2' : 'h1';
  return (
    <>
      <Title>{t(TITLES[viewer])}</Title>
      {isLocked && (
        <p className={styles.total}>
          {t('download.hiddenFiles', { count: state.files.length, size: formatBytes(totalBytes, language) })}
        </p>
      )}
      {!isLocked && state.files.length > 1 && (
        <p className={styles.total}>
          {t('home.count', { count: state.files.length })} · {formatBytes(totalBytes, language)}
        </p>
      )}
      {expiry !== undefined && (
        <p className="soft">
          {t('download.deletedAt', { date: formatDate(expiry, language) })} (
          {formatTimeUntil(expiry - nowMs / 1000, language)})
        </p>
      )}
      {page.warnings.isInApp && (
        <Notice kind="bad">
          <p>{t('download.inApp')}</p>
          {/* The sender has the link in the share box above. */}
          {viewer !== 'sender' && (
            <CopyField
              label={t('share.link')}
              displayText={link}
              copyLabel={t('share.copyLink')}
              copiedLabel={t('share.copied')}
              failedLabel={t('share.copyFailed')}
              onCopy={() => copyText(link)}
            />
          )}
        </Notice>
      )}
      {state.isLimitReached && <Notice kind="bad">{t('download.limitReachedAll')}</Notice>}
      {viewer === 'recipient' && !state.files.some((file) => file.isEncrypted) && (
        <Notice kind="bad">{t('download.notEncrypted')}</Notice>
      )}
      {viewer === 'old-sender' && page.keyField?.needsKey && (
        <Notice kind="plain">
          <p>
            <strong>{t('share.keyGone')}</strong>
          </p>
          <p>{t('share.keyGoneHint')}</p>
        </Notice>
      )}
      {isLocked && page.key.phase !== 'tampered' && <p className="soft">{t('download.hiddenHint')}</p>}
      {page.keyField && <KeyEntry {...page.keyField} viewer={viewer} status={page.key} />}
      <OpenedNotices page={page} />
      {viewer !== 'sender' && allFiles}
      {!isLocked && (
        <QueuePositions queue={state.queue}>
          {state.files.some((file) => canOpen(page, file)) && <p className="soft">{t('preview.counts')}</p>}
          <ul className={styles.files}>
            {state.files.map((file, index) => (
              <FileRow key={file.id} {...rowOf(page, file, index)} />
            ))}
          </ul>
        </QueuePositions>
      )}
      {viewer === 'sender' && allFiles}
      {/* After the files: on a phone it must not be in the way of the key field. */}
      <div className={styles.deleteAll}>
        <ConfirmButton
          question={t('download.deleteAllQuestion')}
          confirmLabel={t('download.deleteAll')}
          cancelLabel={t('download.keep')}
          isDisabled={isPageBusy(state) || (viewer === 'sender' && page.isGone)}
          onConfirm={() => void engine.removeAll()}
        >
          <Icon name="trash" />
          {deletion
            ? t('download.deletingAll', { percent: Math.floor((deletion.done / deletion.total) * 100) })
            : t('download.deleteAll')}
        </ConfirmButton>
      </div>
      {viewer === 'recipient' && <ReportButton pageId={pageId} />}
      {page.preview.current && (
        <Suspense>
          <PreviewDialog page={page} preview={page.preview.current} />
        </Suspense>
      )}
    </>
  );
}

const ARCHIVE_NAME = 'furoshiki.zip';

interface AllFilesProps {
  page: ShownPage;
  pageId: string;
}

/** The buttons that download all files of a page, one by one or as one ZIP, and the progress of the ZIP. */
function AllFiles({ page, pageId }: AllFilesProps) {
  const { t } = useTranslation();
  const { state, engine, access } = page;
  const askForKey = access.kind === 'key-wanted' ? access.ask : undefined;
  const { archive, files } = state;
  const progress = archiveProgress(archive);
  return (
    <>
      <div className={`button-row ${styles.all}`}>
        <Button
          kind={page.viewer === 'sender' ? 'plain' : 'main'}
          isDisabled={access.kind === 'closed' || !files.some((file) => canDownload(state, file, 'all'))}
          onPress={askForKey ?? (() => void engine.downloadAll())}
        >
          <Icon name="download" />
          {t('download.downloadAll')}
        </Button>
        <Button
          isDisabled={access.kind === 'closed' || !files.some((file) => canArchive(state, file))}
          onPress={askForKey ?? (() => void engine.downloadArchive(ARCHIVE_NAME))}
        >
          {t('download.downloadZip')}
        </Button>
      </div>
      <NothingLeft state={state} />
      {archive.phase === 'failed' && <Notice kind="bad">{downloadErrorText(t, archive.failure)}</Notice>}
      {archive.phase === 'cancelled' && <Notice kind="plain">{t('downloadErrors.downloadCancelled')}</Notice>}
      {archive.phase === 'complete' && (
        <Notice kind="good">
          {t('download.zipSaved')}
          <SaveAgain name={ARCHIVE_NAME} save={page.saveAgain(pageId)} />
        </Notice>
      )}
      {progress && (
        <TransferPanel
          {...progress}
          direction="down"
          phase={archive.phase === 'running' ? 'downloading' : 'finishing'}
          isWaitingForNetwork={state.isWaitingForNetwork}
          onCancel={archive.phase === 'running' ? () => void engine.cancelArchive() : undefined}
        />
      )}
    </>
  );
}

/** Why the buttons are disabled. The limit of the whole page has its own message. */
function NothingLeft({ state }: { state: PageState }) {
  const { t } = useTranslation();
  const { files } = state;
  if (isPageBusy(state) || state.isLimitReached || files.some((file) => canArchive(state, file))) return null;
  const areSaved = files.every(({ id }) => fileStateOf(state, id).phase === 'complete');
  return (
    <p role="status" className="soft">
      {areSaved ? t('download.allSaved') : t('download.nothingLeft')}
    </p>
  );
}

const SHOWN_NAMES = 5;

/** What the key reveals about the page: the sender's note, files that are missing, and tampering. */
function OpenedNotices({ page: { state, key } }: { page: ShownPage }) {
  const { t } = useTranslation();
  const plain = state.files.filter((file) => !file.isEncrypted).map((file) => shownName(file.fileName));
  if (key.phase === 'tampered')
    return (
      <Notice kind="bad">
        <p>
          <strong>{t('tampering.title')}</strong> {t(`tampering.${key.tampering}`)}
        </p>
        {key.tampering === 'notEncrypted' && plain.length < state.files.length && (
          <p>
            {t('tampering.mixed', { names: plain.slice(0, SHOWN_NAMES).join(', ') })}{' '}
            {plain.length > SHOWN_NAMES && t('home.more', { count: plain.length - SHOWN_NAMES })}
          </p>
        )}
        <p>{t('tampering.advice')}</p>
      </Notice>
    );
  if (key.phase !== 'fits') return null;
  return (
    <>
      <SenderNote state={state} />
      <Missing state={state} />
    </>
  );
}

function SenderNote({ state: { list } }: { state: PageState }) {
  const { t } = useTranslation();
  const { title = '', message = '' } = list ?? {};
  if (title === '' && message === '') return null;
  return (
    <section className={styles.note} aria-label={t('download.fromSender')}>
      <p className="soft">{t('download.fromSender')}</p>
      {title !== '' && (
        <h2 dir="auto" className={styles.noteTitle}>
          {title}
        </h2>
      )}
      {message !== '' && (
        <p dir="auto" className={styles.noteText}>
          {message}
        </p>
      )}
    </section>
  );
}

function Missing({ state }: { state: PageState }) {
  const { t } = useTranslation();
  const missing = missingCount(state);
  const count = state.files.length;
  if (missing === undefined)
    return state.files.some((file) => file.format === 2) ? <Notice kind="plain">{t('download.noList')}</Notice> : null;
  if (!state.list)
    return <Notice kind="plain">{t('download.noListCounted', { here: count, total: count + missing })}</Notice>;
  if (missing === 0) return null;
  return <Notice kind="plain">{t('download.stillHere', { count, total: count + missing })}</Notice>;
}
