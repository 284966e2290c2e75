// The selected files with their sizes and the total. A thousand rows stay fast: a row renders only when it changes
// (memo), and is rendered only when it is visible (content-visibility in the CSS).
import { MAX_FILES_PER_PAGE } from '@furoshiki/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { buttonClass } from '../../../ui/buttons/button.tsx';
import { formatBytes } from '../../../ui/format-bytes.ts';
import { Icon } from '../../../ui/icon.tsx';
import { useFocusFallback } from '../../../ui/hooks/use-focus-fallback.ts';
import listStyles from '../file-list.module.css';
import styles from './choose-files.module.css';
import { type Selection, totalBytes } from './selection.ts';

interface SelectedFilesProps {
  selection: Selection;
  onRemove: (id: number) => void;
}

export function SelectedFiles({ selection, onRemove }: SelectedFilesProps) {
  const { t, i18n } = useTranslation();
  const { files } = selection;
  const list = useFocusFallback<HTMLUListElement>(files.length);
  return (
    <>
      <p className={styles.total} aria-live="polite">
        <span>{t('home.count', { count: files.length })}</span>
        <span>{t('home.total', { size: formatBytes(totalBytes(selection), i18n.language) })}</span>
      </p>
      <ul ref={list} tabIndex={-1} className={listStyles.files} aria-label={t('home.files')}>
        {files.slice(0, MAX_FILES_PER_PAGE).map(({ id, name, file }) => (
          <SelectedRow key={id} id={id} name={name} size={file.size} onRemove={onRemove} />
        ))}
      </ul>
      {files.length > MAX_FILES_PER_PAGE && <p>{t('home.more', { count: files.length - MAX_FILES_PER_PAGE })}</p>}
    </>
  );
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
        onClick={() => onRemove(id)}
      >
        <Icon name="close" size={18} />
      </button>
    </li>
  );
});
