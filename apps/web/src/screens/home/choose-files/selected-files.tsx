// The selected files with their sizes and the total. A thousand rows stay fast: a row renders only when it changes
// (memo), and is rendered only when it is visible (content-visibility in the CSS).
import { MAX_FILES_PER_PAGE } from '@furoshiki/format';
import { memo, type RefObject, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, buttonClass } from '../../../ui/buttons/button.tsx';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { Icon } from '../../../ui/icon.tsx';
import listStyles from '../file-list.module.css';
import styles from './choose-files.module.css';
import { type Selection, totalBytes } from './selection.ts';

interface SelectedFilesProps {
  selection: Selection;
  onRemove: (id: number) => void;
  onRemoveAll: () => void;
}

export function SelectedFiles({ selection, onRemove, onRemoveAll }: SelectedFilesProps) {
  const { t, i18n } = useTranslation();
  const { files } = selection;
  const list = useRef<HTMLUListElement>(null);
  useShowAdded(list, files.length);
  return (
    <>
      <div className={styles.total}>
        <p aria-live="polite">
          <span>{t('home.count', { count: files.length })}</span>
          <span>{t('home.total', { size: formatBytes(totalBytes(selection), i18n.language) })}</span>
        </p>
        {files.length > 1 && (
          <Button kind="quiet" onPress={onRemoveAll}>
            {t('home.removeAll')}
          </Button>
        )}
      </div>
      <ul ref={list} className={`${listStyles.box} ${listStyles.files}`} aria-label={t('home.files')}>
        {files.slice(0, MAX_FILES_PER_PAGE).map(({ id, name, file }) => (
          <SelectedRow key={id} id={id} name={name} size={file.size} onRemove={onRemove} />
        ))}
      </ul>
      {files.length > MAX_FILES_PER_PAGE && <p>{t('home.more', { count: files.length - MAX_FILES_PER_PAGE })}</p>}
    </>
  );
}

/** Scrolls to the rows that were added to others, so that they are not added out of sight. */
function useShowAdded(list: RefObject<HTMLUListElement | null>, count: number): void {
  const before = useRef(count);
  useEffect(() => {
    const rows = list.current?.children;
    if (rows && count > before.current)
      for (const row of [rows[rows.length - 1], rows[before.current]]) row?.scrollIntoView({ block: 'nearest' });
    before.current = count;
  }, [list, count]);
}

interface SelectedRowProps {
  id: number;
  name: string;
  size: number;
  onRemove: (id: number) => void;
}

const SelectedRow = memo(function SelectedRow({ id, name, size, onRemove }: SelectedRowProps) {
  const { t, i18n } = useTranslation();
  return (
    <li>
      <span className={listStyles.name}>{name}</span>
      <span className={listStyles.size}>{formatBytes(size, i18n.language)}</span>
      <button
        type="button"
        className={buttonClass('quiet', 'bare')}
        aria-label={t('home.remove', { name })}
        onClick={({ currentTarget }) => {
          focusNeighbour(currentTarget);
          onRemove(id);
        }}
      >
        <Icon name="close" size={18} />
      </button>
    </li>
  );
});

/** Keeps the focus in the list when a row goes. After the last row, the screen takes it. */
function focusNeighbour(button: HTMLButtonElement): void {
  const row = button.closest('li');
  const neighbour = row?.nextElementSibling ?? row?.previousElementSibling;
  neighbour?.querySelector('button')?.focus();
}
