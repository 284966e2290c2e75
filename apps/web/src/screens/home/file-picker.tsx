// Choosing files: drop them, pick them, look at them, take some out again.
import { MAX_FILES_PER_PAGE, STATED_TOTAL_GB } from '@furoshiki/core';
import { type DragEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileTrigger } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';
import { Notice } from '../../ui/notice.tsx';
import { droppedFiles, type GivenFiles, pickedFiles } from './given-files.ts';
import styles from './home.module.css';
import { type Refusal, type Selection, type SelectionProblem, totalBytes } from './selection.ts';

/** A folder may hold more than anybody reads, or a page draws quickly. */
const MAX_ROWS = MAX_FILES_PER_PAGE;
const MAX_REFUSALS = 50;

interface FilePickerProps {
  selection: Selection;
  problem: SelectionProblem;
  onAdd: (given: GivenFiles) => void;
  onRemove: (id: number) => void;
}

export function FilePicker({ selection, problem, onAdd, onRemove }: FilePickerProps) {
  const { t, i18n } = useTranslation();
  const { chosen, refused } = selection;
  const [isTarget, setTarget] = useState(false);
  const pick = (list: FileList | null) => onAdd({ files: pickedFiles(list), unreadable: [] });

  function drop(event: DragEvent): void {
    event.preventDefault();
    setTarget(false);
    void droppedFiles(event.dataTransfer).then(onAdd);
  }

  return (
    <>
      <div
        className={styles.dropZone}
        data-drop-target={isTarget || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setTarget(true);
        }}
        onDragLeave={() => setTarget(false)}
        onDrop={drop}
      >
        <p>{t('home.drop')}</p>
        <div className={styles.pickers}>
          <FileTrigger allowsMultiple onSelect={pick}>
            <Button>{chosen.length === 0 ? t('home.pick') : t('home.addMore')}</Button>
          </FileTrigger>
          <FileTrigger acceptDirectory onSelect={pick}>
            <Button>{t('home.pickFolder')}</Button>
          </FileTrigger>
        </div>
      </div>
      {refused.length > 0 && <Refusals refused={refused} />}
      {problem === 'too-large' && <Notice kind="bad">{t('home.tooLarge', { size: STATED_TOTAL_GB })}</Notice>}
      {problem === 'too-many' && <Notice kind="bad">{t('home.tooMany', { count: MAX_FILES_PER_PAGE })}</Notice>}
      {chosen.length > 0 && (
        <>
          <ul className={styles.files} aria-label={t('home.files')}>
            {chosen.slice(0, MAX_ROWS).map(({ id, name, file }) => (
              <li key={id}>
                <span className={styles.name}>{name}</span>
                <span className={styles.size}>{formatBytes(file.size, i18n.language)}</span>
                <Button kind="quiet" aria-label={t('home.remove', { name })} onPress={() => onRemove(id)}>
                  ✕
                </Button>
              </li>
            ))}
          </ul>
          {chosen.length > MAX_ROWS && <p>{t('home.more', { count: chosen.length - MAX_ROWS })}</p>}
          <p className={styles.total}>{t('home.total', { size: formatBytes(totalBytes(selection), i18n.language) })}</p>
        </>
      )}
    </>
  );
}

function Refusals({ refused }: { refused: readonly Refusal[] }) {
  const { t } = useTranslation();
  return (
    <Notice kind="bad">
      {refused.slice(0, MAX_REFUSALS).map(({ name, reason }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- one name may be refused twice, and the list never moves
        <p key={index}>{t(`home.refused.${reason}`, { name, size: STATED_TOTAL_GB })}</p>
      ))}
      {refused.length > MAX_REFUSALS && <p>{t('home.more', { count: refused.length - MAX_REFUSALS })}</p>}
    </Notice>
  );
}
