// The screen for sending files: choose files, set the options, upload.
import { isUploadRunning } from '@furoshiki/transfer';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { TransferPanel } from '../../transfer/panel/transfer-panel.tsx';
import { Button } from '../../ui/buttons/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useFocusFallback } from '../../ui/hooks/use-focus-fallback.ts';
import { FilePicker } from './choose-files/file-picker.tsx';
import styles from './home.module.css';
import { HomeIntro } from './home-intro.tsx';
import { LateSentPages } from './sent/late-sent-pages.tsx';
import { SendingOptions } from './options/sending-options.tsx';
import { uploadErrorText } from './uploading/upload-error-text.ts';
import { UploadingFiles } from './uploading/uploading-files.tsx';
import { type FinishedUpload, useUpload } from './use-upload.ts';

// Only few visits need these, so they are not part of the first load.
const InterruptedNotice = lazy(async () => ({
  default: (await import('./interrupted/interrupted-notice.tsx')).InterruptedNotice,
}));
const InstanceOptions = lazy(async () => ({
  default: (await import('./options/instance-options.tsx')).InstanceOptions,
}));

interface HomeScreenProps {
  language: string;
  onStart: () => void;
  onUploaded: (upload: FinishedUpload) => void;
}

export function HomeScreen({ language, onStart, onUploaded }: HomeScreenProps) {
  const { t } = useTranslation();
  const upload = useUpload(onStart, onUploaded);
  const { state, progress, interrupted } = upload;
  // When one of these changes, the button that had the focus may be gone.
  const focusTrigger = [state.phase, upload.selection.files.length, interrupted.count].join();
  const screen = useFocusFallback<HTMLDivElement>(focusTrigger);
  return (
    <div ref={screen} tabIndex={-1}>
      <HomeIntro language={language} isAlwaysEncrypted={!upload.config.allowUnencrypted} />
      {state.phase === 'failed' && <Notice kind="bad">{uploadErrorText(t, state)}</Notice>}
      {state.phase === 'cancelled' && <Notice kind="bad">{t('uploadErrors.uploadCancelled')}</Notice>}
      {isUploadRunning(state) && progress ? (
        <div className={styles.running}>
          <TransferPanel
            {...progress}
            direction="up"
            phase={state.phase}
            isWaitingForNetwork={state.isWaitingForNetwork}
            percent={progress.overallPercent}
            onCancel={upload.cancel}
          />
          <UploadingFiles
            files={state.files}
            currentIndex={state.fileIndex}
            isCancelling={state.phase === 'cancelling'}
          />
        </div>
      ) : (
        <>
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
            selection={upload.selection}
            problem={upload.problem}
            onAdd={upload.add}
            onRemove={upload.remove}
          />
          <SendingOptions
            retentionDays={upload.retentionDays}
            downloadLimit={upload.downloadLimit}
            onRetentionDays={upload.setRetentionDays}
            onDownloadLimit={upload.setDownloadLimit}
          />
          {(upload.config.allowUnencrypted || upload.config.uploadTokenRequired) && (
            <Suspense fallback={null}>
              <InstanceOptions
                config={upload.config}
                isEncrypted={upload.isEncrypted}
                onEncrypted={upload.setEncrypted}
                uploadToken={upload.uploadToken}
                onUploadToken={upload.setUploadToken}
              />
            </Suspense>
          )}
          <Button kind="main" shape="wide" onPress={upload.start} isDisabled={upload.problem !== undefined}>
            {t('home.start')}
          </Button>
          <LateSentPages language={language} />
        </>
      )}
    </div>
  );
}
