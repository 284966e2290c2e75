// The files of a page, the key field that all of them share, and the actions for all files.
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
import { useTranslation } from 'react-i18next';
import { useServices } from '../../services.ts';
import { firstExpiry, formatDate, formatTimeUntil } from '../../sharing/format-date.ts';
import { TransferPanel } from '../../transfer/transfer-panel.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { useNow } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/message.tsx';
import { SecretField } from '../../ui/text-fields.tsx';
import { downloadErrorText, KeyHelp, keyErrorText } from './download-errors.tsx';
import styles from './download.module.css';
import { FileRow, QueuePositions, rowOf, SaveAgain } from './file-row.tsx';
import { ReportButton } from './report-button.tsx';
import type { DownloadPage } from './use-download-page.ts';

interface PageFilesProps {
  page: DownloadPage;
  pageId: string;
  /** The link as the user opened it, with the key if it had one. */
  link: string;
}

export function PageFiles({ page, pageId, link }: PageFilesProps) {
  const { t, i18n } = useTranslation();
  const { copyText } = useServices();
  const { state, engine } = page;
  const { deletion } = state;
  const nowMs = useNow();
  const totalBytes = state.files.reduce((sum, file) => sum + file.fileSize, 0);
  const expiry = firstExpiry(state.files);
  const hasActions = state.files.length > 1 && !page.isLocked;
  // The sender's page already has an h1 above.
  const Title = page.isSender ? 'h2' : 'h1';
  const ownTitle = page.isOldSender ? t('share.sent') : t('share.status');
  return (
    <>
      <Title>{page.isOwn ? ownTitle : t('download.title')}</Title>
      {page.isLocked && (
        <p className={styles.total}>
          {t('download.hiddenFiles', { count: state.files.length, size: formatBytes(totalBytes, i18n.language) })}
        </p>
      )}
      {!page.isLocked && state.files.length > 1 && (
        <p className={styles.total}>
          {t('home.count', { count: state.files.length })} · {formatBytes(totalBytes, i18n.language)}
        </p>
      )}
      {expiry !== undefined && (
        <p className="soft">
          {t('download.deletedAt', { date: formatDate(expiry, i18n.language) })} (
          {formatTimeUntil(expiry - nowMs / 1000, i18n.language)})
        </p>
      )}
      {page.warnings.isInApp && (
        <Notice kind="bad">
          <p>{t('download.inApp')}</p>
          {/* The sender has the link in the share box above. */}
          {!page.isSender && (
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
      {!page.hasEncrypted && <Notice kind="bad">{t('download.notEncrypted')}</Notice>}
      {page.isOldSender && page.needsKey && (
        <Notice kind="plain">
          <p>
            <strong>{t('share.keyGone')}</strong>
          </p>
          <p>{t('share.keyGoneHint')}</p>
        </Notice>
      )}
      {page.isLocked && page.tampering === undefined && <p className="soft">{t('download.hiddenHint')}</p>}
      {!page.isSender && <KeyEntry page={page} />}
      <OpenedNotices page={page} />
      {hasActions && !page.isSender && <AllFiles page={page} pageId={pageId} />}
      {!page.isLocked && (
        <QueuePositions queue={state.queue}>
          <ul className={styles.files}>
            {state.files.map((file) => (
              <FileRow key={file.id} {...rowOf(page, file)} />
            ))}
          </ul>
        </QueuePositions>
      )}
      {hasActions && page.isSender && <AllFiles page={page} pageId={pageId} />}
      {/* After the files: on a phone it must not be in the way of the key field. */}
      <div className={styles.deleteAll}>
        <ConfirmButton
          question={t('download.deleteAllQuestion')}
          confirmLabel={t('download.deleteAll')}
          cancelLabel={t('download.keep')}
          isDisabled={isPageBusy(state) || (page.isSender && page.isGone)}
          onConfirm={() => void engine.removeAll()}
        >
          <Icon name="trash" />
          {deletion
            ? t('download.deletingAll', { percent: Math.floor((deletion.done / deletion.total) * 100) })
            : t('download.deleteAll')}
        </ConfirmButton>
      </div>
      {!page.isOwn && <ReportButton pageId={pageId} />}
    </>
  );
}

const ARCHIVE_NAME = 'furoshiki.zip';

interface AllFilesProps {
  page: DownloadPage;
  pageId: string;
}

/** The buttons that download all files of a page, one by one or as one ZIP, and the progress of the ZIP. */
function AllFiles({ page, pageId }: AllFilesProps) {
  const { t } = useTranslation();
  const { state, engine, isClickable, isSender } = page;
  const askForKey = page.isReady ? undefined : page.askForKey;
  const { archive, files } = state;
  const progress = archiveProgress(archive);
  return (
    <>
      <div className={`button-row ${styles.all}`}>
        <Button
          kind={isSender ? 'plain' : 'main'}
          isDisabled={!isClickable || !files.some((file) => canDownload(state, file, 'all'))}
          onPress={askForKey ?? (() => void engine.downloadAll())}
        >
          <Icon name="download" />
          {t('download.downloadAll')}
        </Button>
        <Button
          isDisabled={!isClickable || !files.some((file) => canArchive(state, file))}
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

/** What the key reveals about the page: the sender's note, files that are missing, and tampering. */
function OpenedNotices({ page: { state, check, tampering } }: { page: DownloadPage }) {
  const { t } = useTranslation();
  if (tampering !== undefined)
    return (
      <Notice kind="bad">
        <p>
          <strong>{t('tampering.title')}</strong> {t(`tampering.${tampering}`)}
        </p>
        <p>{t('tampering.advice')}</p>
      </Notice>
    );
  if (check.phase !== 'fits') return null;
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
  if (missing === 0) return null;
  return <Notice kind="plain">{t('download.stillHere', { count, total: count + missing })}</Notice>;
}

function KeyEntry({ page }: { page: DownloadPage }) {
  const { t } = useTranslation();
  const { check, refusal } = page;
  const isMissing = refusal?.code === 'KEY_EMPTY';
  if (!page.needsKey) return null;
  return (
    <div className={styles.key} data-fits={check.phase === 'fits'}>
      <SecretField
        label={t('download.key')}
        hint={t(hintOf(page))}
        inputRef={page.field}
        error={refusal && keyErrorText(t, refusal)}
        value={page.typed}
        onChange={page.setTyped}
        onBlur={page.endTyping}
        showLabel={t('share.showKey')}
        hideLabel={t('share.hideKey')}
      />
      <p aria-live="polite" className={styles.keyFits}>
        {check.phase === 'fits' && (
          <>
            <Icon name="check" />
            {t('download.keyFits')}
          </>
        )}
      </p>
      {refusal && !isMissing && <KeyHelp />}
    </div>
  );
}

function hintOf({ isOldSender, isKeyFromLink }: DownloadPage) {
  if (isOldSender) return 'share.ownKeyHint';
  return isKeyFromLink ? 'download.keyFromLink' : 'download.keyHint';
}
