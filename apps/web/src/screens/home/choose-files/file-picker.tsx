// The area for choosing files: drop, paste or pick them, see them, remove some again.
import { STATED_TOTAL_GB } from '@furoshiki/api';
import { MAX_FILES_PER_PAGE } from '@furoshiki/format';
import { useTranslation } from 'react-i18next';
import { Cloth } from '../../../transfer/cloth/cloth.tsx';
import { FileButton } from '../../../ui/buttons/file-button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { SelectedFiles } from './selected-files.tsx';
import { type IncomingFiles, pickedFiles } from './incoming-files.ts';
import styles from './choose-files.module.css';
import type { Refusal, Selection, SelectionProblem } from './selection.ts';
import { useDropAndPaste } from './use-drop-and-paste.ts';

/** A folder may hold thousands of unusable files. */
const MAX_REFUSALS = 50;

interface FilePickerProps {
  selection: Selection;
  problem: SelectionProblem;
  onAdd: (incoming: IncomingFiles) => void;
  onRemove: (id: number) => void;
  onRemoveAll: () => void;
}

export function FilePicker({ selection, problem, onAdd, onRemove, onRemoveAll }: FilePickerProps) {
  const { t } = useTranslation();
  const { files, refused } = selection;
  const isDraggedOver = useDropAndPaste(onAdd);
  const isEmpty = files.length === 0;
  const pick = (list: FileList | null) => onAdd({ files: pickedFiles(list), unreadable: [] });
  return (
    <>
      <div className={styles.dropZone} data-empty={isEmpty} data-drop-target={isDraggedOver || undefined}>
        {isEmpty && (
          <>
            <Cloth wrapped={isDraggedOver ? 0.06 : 0} hasContent={isDraggedOver} />
            <h2>{isDraggedOver ? t('home.dropNow') : t('home.dropTitle')}</h2>
            <p className={styles.hint}>{t('home.dropHint')}</p>
          </>
        )}
        {!isEmpty && <SelectedFiles selection={selection} onRemove={onRemove} onRemoveAll={onRemoveAll} />}
        <div className={styles.pickers}>
          <FileButton kind={isEmpty ? 'main' : 'plain'} onFiles={pick}>
            <Icon name={isEmpty ? 'file' : 'plus'} />
            {isEmpty ? t('home.pick') : t('home.addMore')}
          </FileButton>
          <FileButton isFolder onFiles={pick}>
            <Icon name="folder" />
            {t('home.pickFolder')}
          </FileButton>
        </div>
      </div>
      {refused.length > 0 && <Refusals refused={refused} />}
      {problem === 'too-large' && <Notice kind="bad">{t('home.tooLarge', { size: STATED_TOTAL_GB })}</Notice>}
      {problem === 'too-many' && <Notice kind="bad">{t('home.tooMany', { count: MAX_FILES_PER_PAGE })}</Notice>}
    </>
  );
}

function Refusals({ refused }: { refused: readonly Refusal[] }) {
  const { t } = useTranslation();
  return (
    <Notice kind="bad">
      {refused.slice(0, MAX_REFUSALS).map(({ name, reason }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- a name may be refused twice, and the list never changes
        <p key={index}>{t(`home.refused.${reason}`, { name, size: STATED_TOTAL_GB })}</p>
      ))}
      {refused.length > MAX_REFUSALS && <p>{t('home.more', { count: refused.length - MAX_REFUSALS })}</p>}
    </Notice>
  );
}
