// An upload while it runs: its progress, and its files.
import { isUploadRunning, uploadProgress, type UploadState } from '@furoshiki/transfer';
import { TransferPanel } from '../../../transfer/panel/transfer-panel.tsx';
import { scrollIntoView } from '../../../ui/scroll-into-view.ts';
import { SignInNotice } from './sign-in-notice.tsx';
import { UploadingFiles } from './uploading-files.tsx';
import styles from './running-upload.module.css';

interface RunningUploadProps {
  state: UploadState;
  onCancel: () => void;
}

export function RunningUpload({ state, onCancel }: RunningUploadProps) {
  const progress = uploadProgress(state);
  if (!isUploadRunning(state) || !progress) return undefined;
  return (
    <div className={styles.running}>
      {state.signIn !== 'none' && state.phase !== 'cancelling' && (
        <SignInNotice isRefused={state.signIn === 'refused'} />
      )}
      <div ref={scrollIntoView} className={styles.progress}>
        <TransferPanel
          {...progress}
          direction="up"
          phase={state.phase}
          isWaitingForNetwork={state.isWaitingForNetwork}
          isWaitingForSignIn={state.signIn !== 'none'}
          percent={progress.overallPercent}
          onCancel={onCancel}
        />
      </div>
      <UploadingFiles files={state.files} currentIndex={state.fileIndex} isCancelling={state.phase === 'cancelling'} />
    </div>
  );
}
