// Offers to resume or discard an interrupted upload.
import { useTranslation } from 'react-i18next';
import { FileTrigger } from 'react-aria-components';
import type { InterruptedUpload, SelectedFile } from '../../../services.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { ConfirmButton } from '../../../ui/buttons/confirm-button.tsx';
import { formatBytes } from '../../../ui/format-bytes.ts';
import { Notice } from '../../../ui/notice.tsx';
import { pickedFiles } from '../choose-files/incoming-files.ts';
import pickerStyles from '../choose-files/choose-files.module.css';
import listStyles from '../file-list.module.css';

const MAX_NAMES = 3;

interface InterruptedNoticeProps {
  upload: InterruptedUpload;
  /** Names of files of the upload that the user did not select. */
  missing: readonly string[];
  onFiles: (files: readonly SelectedFile[]) => void;
  onDiscard: () => void;
}

export function InterruptedNotice({ upload, missing, onFiles, onDiscard }: InterruptedNoticeProps) {
  const { t, i18n } = useTranslation();
  const { files, checkpoint } = upload;
  const size = files.reduce((sum, file) => sum + file.size, 0);
  return (
    <Notice kind="plain">
      <p>
        <strong>{t('interrupted.title')}</strong>
      </p>
      <p className={listStyles.name}>{namesOf(files.map(({ name }) => name))}</p>
      <p>
        {t('interrupted.arrived', {
          loaded: formatBytes(arrivedBytes(upload), i18n.language),
          total: formatBytes(size, i18n.language),
        })}{' '}
        {t(checkpoint.completed.length > 0 ? 'interrupted.hintRest' : 'interrupted.hint')}
      </p>
      {missing.length > 0 && <p className={listStyles.name}>{t('interrupted.missing', { names: namesOf(missing) })}</p>}
      <div className={pickerStyles.pickers}>
        <FileTrigger allowsMultiple onSelect={(list) => onFiles(pickedFiles(list))}>
          <Button kind="main">{t('interrupted.goOn')}</Button>
        </FileTrigger>
        <FileTrigger acceptDirectory onSelect={(list) => onFiles(pickedFiles(list))}>
          <Button>{t('interrupted.goOnFolder')}</Button>
        </FileTrigger>
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
  const completedBytes = files.slice(0, completed.length).reduce((sum, { size }) => sum + size, 0);
  const openBytes = Math.min((open?.etags.length ?? 0) * (open?.chunkSize ?? 0), files[completed.length]?.size ?? 0);
  return completedBytes + openBytes;
}

function namesOf(names: readonly string[]): string {
  return names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '');
}
