// Choosing files: drop them, pick them, look at them, take some out again.
import { MAX_FILES_PER_PAGE, STATED_TOTAL_GB } from '@furoshiki/core';
import { type DragEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FileTrigger } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { formatBytes } from '../../ui/format-bytes.ts';
import { Notice } from '../../ui/notice.tsx';
import styles from './home.module.css';
import { type Selection, type SelectionProblem, totalBytes } from './selection.ts';

interface FilePickerProps {
  selection: Selection;
  problem: SelectionProblem;
  onAdd: (files: readonly File[]) => void;
  onRemove: (id: number) => void;
}

export function FilePicker({ selection, problem, onAdd, onRemove }: FilePickerProps) {
  const { t, i18n } = useTranslation();
  const { chosen, empty } = selection;
  const [isTarget, setTarget] = useState(false);

  function drop(event: DragEvent): void {
    event.preventDefault();
    setTarget(false);
    onAdd([...event.dataTransfer.files]);
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
        <FileTrigger allowsMultiple onSelect={(list) => onAdd([...(list ?? [])])}>
          <Button>{chosen.length === 0 ? t('home.pick') : t('home.addMore')}</Button>
        </FileTrigger>
      </div>
      {empty.length > 0 && (
        <Notice kind="bad">
          {empty.map((name) => (
            <p key={name}>{t('home.fileEmpty', { name })}</p>
          ))}
        </Notice>
      )}
      {problem === 'too-large' && <Notice kind="bad">{t('home.tooLarge', { size: STATED_TOTAL_GB })}</Notice>}
      {problem === 'too-many' && <Notice kind="bad">{t('home.tooMany', { count: MAX_FILES_PER_PAGE })}</Notice>}
      {chosen.length > 0 && (
        <>
          <ul className={styles.files} aria-label={t('home.files')}>
            {chosen.map(({ id, name, size }) => (
              <li key={id}>
                <span className={styles.name}>{name}</span>
                <span className={styles.size}>{formatBytes(size, i18n.language)}</span>
                <Button kind="quiet" aria-label={t('home.remove', { name })} onPress={() => onRemove(id)}>
                  ✕
                </Button>
              </li>
            ))}
          </ul>
          <p className={styles.total}>{t('home.total', { size: formatBytes(totalBytes(selection), i18n.language) })}</p>
        </>
      )}
    </>
  );
}
