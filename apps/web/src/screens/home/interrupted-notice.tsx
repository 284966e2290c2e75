// Offers to resume or discard an interrupted upload.
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { useTranslation } from '../../ui/i18n.ts';
import type { InterruptedUpload, SelectedFile } from '../../services.ts';
import { FileButton } from '../../ui/button.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { Notice } from '../../ui/message.tsx';
import styles from './file-picker.module.css';
import { pickedFiles } from './selection.ts';

const MAX_NAMES = 3;

interface InterruptedNoticeProps {
  upload: InterruptedUpload;
  /** Names of files of the upload that the user did not select. */
  missing: readonly string[];
  onFiles: (files: readonly SelectedFile[]) => void;
  onDiscard: () => void;
}

export function InterruptedNotice({ upload, missing, onFiles, onDiscard }: InterruptedNoticeProps) {
  const { t, language } = useTranslation();
  const { files, checkpoint } = upload;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <Notice kind="plain">
      <p>
        <strong>{t('interrupted.title')}</strong>
      </p>
      <p className={styles.name}>{namesOf(files.map(({ name }) => name))}</p>
      <p>
        {t('interrupted.arrived', {
          loaded: formatBytes(arrivedBytes(upload), language),
          total: formatBytes(size, language),
        })}{' '}
        {t(checkpoint.completed.length > 0 ? 'interrupted.hintRest' : 'interrupted.hint')}
      </p>
      {missing.length > 0 && <p className={styles.name}>{t('interrupted.missing', { names: namesOf(missing) })}</p>}
      <div className={`button-row ${styles.pickers}`}>
        <FileButton kind="main" onFiles={(list) => onFiles(pickedFiles(list))}>
          {t('interrupted.goOn')}
        </FileButton>
        <FileButton isFolder onFiles={(list) => onFiles(pickedFiles(list))}>
          {t('interrupted.goOnFolder')}
        </FileButton>
        <ConfirmButton
          question={t('interrupted.discardQuestion')}
          confirmLabel={t('interrupted.discard')}
          cancelLabel={t('download.keep')}
          onConfirm={onDiscard}
        >
          {t('interrupted.discard')}
        </ConfirmButton>
      </div>
    </Notice>
  );
}

function arrivedBytes({ files, checkpoint: { completed, open } }: InterruptedUpload): number {
  const sizeOf = (fileIndex: number) => files[fileIndex]?.size ?? 0;
  const completedBytes = completed.map(({ fileIndex }) => sizeOf(fileIndex));
  const openBytes = open.map(({ fileIndex, etags, chunkSize }) =>
    Math.min(etags.length * chunkSize, sizeOf(fileIndex)),
  );
  return [...completedBytes, ...openBytes].reduce((sum, bytes) => sum + bytes, 0);
}

function namesOf(names: readonly string[]): string {
  return names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
}
