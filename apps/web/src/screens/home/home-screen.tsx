// The screen for sending files: choose files, set the options, upload.
import { type Failure, limitGbOf, uploadCategory, uploadErrorKind } from '@furoshiki/api';
import { isUploadRunning } from '@furoshiki/transfer';
import type { Translate } from '@furoshiki/texts/translate';
import { Suspense } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { useServices } from '../../services.ts';
import { Button } from '../../ui/button.tsx';
import { scrollIntoView, useFocusFallback } from '../../ui/hooks.ts';
import { lazyComponent, loadOnce, useLoad } from '../../ui/lazy.tsx';
import { Loading, Notice } from '../../ui/message.tsx';
import { FilePicker } from './file-picker.tsx';
import { HomeIntro } from './home-intro.tsx';
import styles from './home.module.css';
import { EncryptedOptions, SendingOptions } from './options.tsx';
import { type UploadInput, useUpload } from './use-upload.ts';

// Only few visits need these, so they are not part of the first load.
const InterruptedNotice = lazyComponent(async () => (await import('./interrupted-notice.tsx')).InterruptedNotice);
const SharedFiles = lazyComponent(async () => (await import('./shared-files.tsx')).SharedFiles);
const InstanceOptions = lazyComponent(async () => (await import('./instance-options.tsx')).InstanceOptions);
// Users choose files first.
export const RunningUpload = lazyComponent(async () => (await import('./running-upload.tsx')).RunningUpload);
const loadSentPagesSection = loadOnce(async () => (await import('./sent-pages.tsx')).SentPagesSection);

interface HomeScreenProps extends UploadInput {
  language: string;
}

export function HomeScreen({ language, ...input }: HomeScreenProps) {
  const { t } = useTranslation();
  const { draft } = input;
  const upload = useUpload(input);
  const { takeSharedFiles } = useServices();
  const { state, interrupted, config } = upload;
  const isEmpty = draft.selection.files.length === 0;
  // When one of these changes, the button that had the focus may be gone.
  const focusTrigger = [state.phase, isEmpty, interrupted.count, 'signIn' in state && state.signIn].join();
  const screen = useFocusFallback<HTMLDivElement>(focusTrigger);
  return (
    <div ref={screen} tabIndex={-1}>
      <HomeIntro
        language={language}
        isAlwaysEncrypted={config?.allowUnencrypted === false}
        needsSignIn={config?.signIn}
      />
      {isUploadRunning(state) ? (
        <div className={styles.settling}>
          <Suspense fallback={<Loading label={t('startUp.loading')} />}>
            <RunningUpload state={state} onCancel={upload.cancel} />
          </Suspense>
        </div>
      ) : (
        <div className={state.phase === 'idle' ? undefined : styles.settling}>
          {state.phase === 'failed' && (
            <div ref={scrollIntoView}>
              <Notice kind="bad">{uploadErrorText(t, state)}</Notice>
            </div>
          )}
          {state.phase === 'cancelled' && (
            <div ref={scrollIntoView}>
              <Notice kind="plain">{t('uploadErrors.uploadCancelled')}</Notice>
            </div>
          )}
          {upload.areWordsMissing && <Notice kind="bad">{t('home.wordsMissing')}</Notice>}
          {interrupted.upload && (
            <Suspense fallback={null}>
              <InterruptedNotice
                upload={interrupted.upload}
                missing={interrupted.missing}
                onFiles={interrupted.resume}
                onDiscard={interrupted.discard}
              />
            </Suspense>
          )}
          {interrupted.changed.length > 0 && (
            <Notice kind="bad">
              {interrupted.changed.map((name) => (
                <p key={name}>{t('interrupted.changed', { name })}</p>
              ))}
            </Notice>
          )}
          {takeSharedFiles && (
            <Suspense fallback={null}>
              <SharedFiles onAdd={upload.add} />
            </Suspense>
          )}
          <FilePicker
            selection={draft.selection}
            problem={upload.problem}
            onAdd={upload.add}
            onRemove={upload.remove}
            onRemoveAll={upload.removeAll}
          />
          <SendingOptions
            retentionDays={draft.retentionDays}
            downloadLimit={draft.downloadLimit}
            onRetentionDays={(retentionDays) => upload.change({ retentionDays })}
            onDownloadLimit={(downloadLimit) => upload.change({ downloadLimit })}
          />
          {draft.isEncrypted && (
            <EncryptedOptions
              areNamesAlwaysHidden={upload.areNamesAlwaysHidden}
              hidesNames={upload.hidesNames}
              onHidesNames={(hidesNames) => upload.change({ hidesNames })}
              keyAsWords={upload.keyAsWords}
              onKeyAsWords={(keyAsWords) => upload.change({ keyAsWords })}
              title={draft.title}
              message={draft.message}
              onNote={upload.change}
            />
          )}
          {config && (config.allowUnencrypted || config.needsToken) && (
            <Suspense fallback={null}>
              <InstanceOptions
                config={config}
                isEncrypted={draft.isEncrypted}
                onEncrypted={upload.setEncrypted}
                uploadToken={draft.uploadToken}
                onUploadToken={upload.setUploadToken}
              />
            </Suspense>
          )}
          <div className={isEmpty ? undefined : styles.start}>
            <Button kind="main" shape="wide" onPress={upload.start} isDisabled={upload.problem !== undefined}>
              {t('home.start')}
            </Button>
          </div>
          <LateSentPages language={language} />
        </div>
      )}
    </div>
  );
}

/** Loaded after the transfers, which are loaded after the first paint. If it cannot be loaded, home works without it. */
function LateSentPages({ language }: { language: string }) {
  const pages = useLoad(useServices().loadSentPages);
  const section = useLoad(pages.phase === 'loaded' ? loadSentPagesSection : undefined);
  if (pages.phase !== 'loaded' || section.phase !== 'loaded') return undefined;
  return <section.value sentPages={pages.value} language={language} />;
}

interface FailedUpload {
  failure: Failure;
  /** The file that was being uploaded. */
  fileName: string;
}

/** The categories of these codes serve only statistics: their texts would blame the files, the sender or the network. */
const WITH_OWN_TEXT = ['RATE_LIMITED', 'QUOTA_EXCEEDED', 'SERVICE_UNAVAILABLE', 'ENCRYPTION_REQUIRED'] as const;

/** The message for a failed upload. */
export function uploadErrorText(t: Translate, { failure, fileName }: FailedUpload): string {
  const { code, details } = failure;
  const { status } = details;
  if (code === 'FILE_UNREADABLE') return t('home.refused.unreadable', { name: fileName });
  const own = WITH_OWN_TEXT.find((known) => known === code);
  if (own) return t(`apiErrors.${own}`);
  const kind = uploadErrorKind(code);
  if (kind === 'invalidUrl') return t('home.failed.address');
  // A status of the storage says nothing about the session or the limits of our server.
  if (kind === 'chunkUploadError' && status !== undefined) return t('home.failed.part', { name: fileName, status });
  const category = uploadCategory(failure);
  if (category === 'unknown' && status !== undefined) return t('home.failed.server', { status });
  return t(`uploadErrors.${category}`, { size: limitGbOf(failure) });
}
