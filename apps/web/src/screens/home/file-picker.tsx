// The area for choosing files: drop, paste or pick them, see them, remove some again. A thousand rows stay fast: a row
// renders only when it changes (memo), and is rendered only when it is visible (content-visibility in the CSS).
import { STATED_TOTAL_GB } from '@furoshiki/api';
import { MAX_FILES_PER_PAGE } from '@furoshiki/format';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { memo, type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { Cloth } from '../../transfer/cloth.tsx';
import { Button, buttonClass, FileButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/message.tsx';
import styles from './file-picker.module.css';
import {
  droppedFiles,
  type IncomingFiles,
  pickedFiles,
  type Refusal,
  type Selection,
  type SelectionProblem,
  totalBytes,
} from './selection.ts';

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
            <p className={`soft ${styles.dropHint}`}>{t('home.dropHint')}</p>
          </>
        )}
        {!isEmpty && <SelectedFiles selection={selection} onRemove={onRemove} onRemoveAll={onRemoveAll} />}
        <div className={`button-row ${styles.pickers}`}>
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

interface SelectedFilesProps {
  selection: Selection;
  onRemove: (id: number) => void;
  onRemoveAll: () => void;
}

/**
 * The selected files with their sizes and the total. A thousand rows stay fast: a row renders only when it changes
 * (memo), and is rendered only when it is visible (content-visibility in the CSS).
 */
function SelectedFiles({ selection, onRemove, onRemoveAll }: SelectedFilesProps) {
  const { t, language } = useTranslation();
  const { files } = selection;
  const list = useRef<HTMLUListElement>(null);
  useShowAdded(list, files.length);
  return (
    <>
      <div className={styles.total}>
        <p aria-live="polite">
          <span>{t('home.count', { count: files.length })}</span>
          <span>{t('home.total', { size: formatBytes(totalBytes(selection), language) })}</span>
        </p>
        {files.length > 1 && (
          <Button kind="quiet" onPress={onRemoveAll}>
            {t('home.removeAll')}
          </Button>
        )}
      </div>
      <ul ref={list} className={`${styles.box} ${styles.files}`} aria-label={t('home.files')}>
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
  const { t, language } = useTranslation();
  return (
    <li>
      <span className={styles.name}>{name}</span>
      <span className={styles.size}>{formatBytes(size, language)}</span>
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

/**
 * Receives files that are dropped or pasted anywhere on the page. Returns whether files are being dragged over the
 * page.
 */
function useDropAndPaste(onFiles: (incoming: IncomingFiles) => void): boolean {
  const [isDraggedOver, setDraggedOver] = useState(false);
  const addFiles = useEffectEvent(onFiles);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    // `dragover` repeats while files are over the page. If it stops, they have left the page.
    let leaveTimer: ReturnType<typeof setTimeout> | undefined;
    addEventListener(
      'dragover',
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        clearTimeout(leaveTimer);
        leaveTimer = setTimeout(() => setDraggedOver(false), 300);
        setDraggedOver(true);
      },
      { signal },
    );
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        clearTimeout(leaveTimer);
        setDraggedOver(false);
        void droppedFiles(event.dataTransfer).then(addFiles);
      },
      { signal },
    );
    addEventListener(
      'paste',
      ({ clipboardData }) => {
        if (clipboardData && clipboardData.files.length > 0)
          addFiles({ files: pickedFiles(clipboardData.files), unreadable: [] });
      },
      { signal },
    );
    return () => {
      clearTimeout(leaveTimer);
      controller.abort();
    };
  }, []);

  return isDraggedOver;
}
