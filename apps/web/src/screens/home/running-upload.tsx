// An upload while it runs: its progress, its files, and a request to sign in if it waits for that.
import { screenPath } from '@furoshiki/site';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { isUploadRunning, uploadProgress, type UploadState } from '@furoshiki/transfer';
import { memo, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { useServices } from '../../services.ts';
import { TransferPanel } from '../../transfer/transfer-panel.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { scrollIntoView } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/message.tsx';
import listStyles from './file-picker.module.css';
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

type Badge = 'waiting' | 'uploading' | 'done' | 'cancelling';

interface UploadingFile {
  name: string;
  size: number;
}

interface UploadingFilesProps {
  files: readonly UploadingFile[];
  /** All files before this index are done. */
  currentIndex: number;
  isCancelling: boolean;
}

/** Rows that render together. A list of any length costs the same: only the rows around the current file change. */
const GROUP = 25;

/** Memoised: it renders once per file, not on every progress update. */
const UploadingFiles = memo(function UploadingFiles(props: UploadingFilesProps) {
  const { files, currentIndex, isCancelling } = props;
  const { t } = useTranslation();
  const groups = useMemo(
    () =>
      Array.from({ length: Math.ceil(files.length / GROUP) }, (_, n) => ({
        first: n * GROUP,
        files: files.slice(n * GROUP, (n + 1) * GROUP),
      })),
    [files],
  );
  return (
    <ul className={`${listStyles.box} ${listStyles.files}`} aria-label={t('home.files')}>
      {groups.map((group) => {
        const current = Math.min(Math.max(currentIndex - group.first, -1), GROUP);
        return (
          <UploadingRows key={group.first} files={group.files} currentIndex={current} isCancelling={isCancelling} />
        );
      })}
    </ul>
  );
});

const UploadingRows = memo(function UploadingRows({ files, currentIndex, isCancelling }: UploadingFilesProps) {
  return files.map((file, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- two files may have the same name, and the list never changes
    <UploadingRow key={index} {...file} badge={isCancelling ? 'cancelling' : badgeOf(index, currentIndex)} />
  ));
});

const UploadingRow = memo(function UploadingRow({ name, size, badge }: UploadingFile & { badge: Badge }) {
  const { t, language } = useTranslation();
  return (
    <li>
      <span className={listStyles.name}>{name}</span>
      <span className={listStyles.size}>{formatBytes(size, language)}</span>
      <span className={styles.badge} data-badge={badge}>
        {badge === 'done' && <Icon name="check" size={14} />}
        {t(`home.badge.${badge}`)}
      </span>
    </li>
  );
});

function badgeOf(index: number, currentIndex: number): Badge {
  if (index === currentIndex) return 'uploading';
  return index < currentIndex ? 'done' : 'waiting';
}

/**
 * Asks the user to sign in, in another tab, while the upload waits. `isRefused`: the server was asked again, and the
 * user is not signed in.
 */
function SignInNotice({ isRefused }: { isRefused: boolean }) {
  const { t } = useTranslation();
  const { addressOf, loadSignIn, notify } = useServices();
  const isNotified = useRef(false);
  useEffect(() => {
    if (!isNotified.current) notify(t('notices.signIn'));
    isNotified.current = true;
  }, [notify, t]);
  // An upload that waits has loaded it.
  const check = async () => (await loadSignIn()).check();
  return (
    <Notice kind="plain">
      <p>
        <strong>{t('signIn.title')}</strong>
      </p>
      <p>
        {t('signIn.text')} {t('signIn.newTab')}
      </p>
      {isRefused && <p>{t('signIn.notYet')}</p>}
      <div className="button-row">
        {/* With an opener, the new tab can close itself. Its address leads to another site at once, which by our
            Cross-Origin-Opener-Policy cannot reach this tab. */}
        <a
          href={addressOf(screenPath({ name: 'sign-in' }))}
          target="_blank"
          rel="opener"
          className={buttonClass('main')}
        >
          {t('signIn.open')}
        </a>
        <Button onPress={() => void check()}>{t('signIn.check')}</Button>
      </div>
    </Notice>
  );
}
