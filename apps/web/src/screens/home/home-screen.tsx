// The screen for sending files: choose files, set the options, upload.
import { isUploadRunning } from '@furoshiki/transfer';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/buttons/button.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Notice } from '../../ui/notice.tsx';
import { scrollIntoView } from '../../ui/scroll-into-view.ts';
import { useFocusFallback } from '../../ui/hooks/use-focus-fallback.ts';
import { FilePicker } from './choose-files/file-picker.tsx';
import styles from './home.module.css';
import { HomeIntro } from './home-intro.tsx';
import { LateSentPages } from './sent/late-sent-pages.tsx';
import { EncryptedOptions } from './options/encrypted-options.tsx';
import { SendingOptions } from './options/sending-options.tsx';
import { LazyRunningUpload } from './uploading/lazy-running-upload.ts';
import { uploadErrorText } from './uploading/upload-error-text.ts';
import { type UploadInput, useUpload } from './use-upload.ts';

// Only few visits need these, so they are not part of the first load.
const InterruptedNotice = lazy(async () => ({
  default: (await import('./interrupted/interrupted-notice.tsx')).InterruptedNotice,
}));
const InstanceOptions = lazy(async () => ({
  default: (await import('./options/instance-options.tsx')).InstanceOptions,
}));

interface HomeScreenProps extends UploadInput {
  language: string;
}

export function HomeScreen({ language, ...input }: HomeScreenProps) {
  const { t } = useTranslation();
  const { draft } = input;
  const upload = useUpload(input);
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
            <LazyRunningUpload state={state} onCancel={upload.cancel} />
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
              onHidesNames={upload.setHidesNames}
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
