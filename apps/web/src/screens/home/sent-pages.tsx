// The list of what was sent from this browser: when each page expires, how often it was downloaded, open, copy, delete.
import { asFailure, type PageFile } from '@furoshiki/api';
import { shownName } from '@furoshiki/format';
import { downloadPath } from '@furoshiki/site';
import { createMutex } from '@furoshiki/transfer';
import type { Translate } from '@furoshiki/texts/translate';
import { type RefObject, useEffect, useEffectEvent, useId, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { Link } from 'wouter';
import { type SentPage, type SentPages, useServices } from '../../services.ts';
import { firstExpiry, formatTimeUntil } from '../../sharing/format-date.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { useNow } from '../../ui/hooks.ts';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/message.tsx';
import listStyles from './file-picker.module.css';
import styles from './sent-pages.module.css';

export function SentPagesSection({ sentPages, language }: { sentPages: SentPages; language: string }) {
  const { t } = useTranslation();
  const headingId = useId();
  const { section, pages, nowMs, notice, ...sent } = useSentPages(sentPages);
  const isEmpty = pages.length === 0;
  // Without pages it stays as an empty element, so that the focus is not lost with the last row.
  return (
    <section
      ref={section}
      tabIndex={-1}
      className={isEmpty && !notice ? undefined : styles.sent}
      aria-labelledby={isEmpty ? undefined : headingId}
    >
      {!isEmpty && <h2 id={headingId}>{t('sent.heading')}</h2>}
      {notice && <DeletionNotice {...notice} />}
      {!isEmpty && (
        <>
          <p className="hint">{t('sent.hint')}</p>
          <ul className={`${listStyles.box} ${styles.pages}`}>
            {pages.map((page, index) => (
              <SentRow
                key={page.pageId}
                page={page}
                index={index}
                nowMs={nowMs}
                language={language}
                isDeleting={sent.isDeleting(page)}
                onRemove={() => sent.remove(page)}
                onDelete={() => sent.deleteFiles(page)}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function DeletionNotice({ page, isDeleted }: NonNullable<ReturnType<typeof useSentPages>['notice']>) {
  const { t } = useTranslation();
  const title = titleOf(t, page);
  const text =
    page.fileCount === 1
      ? t(isDeleted ? 'download.deleted' : 'download.deleteFailed', { name: title })
      : t(isDeleted ? 'sent.deleted' : 'sent.deleteFailed', { title });
  return <Notice kind={isDeleted ? 'good' : 'bad'}>{text}</Notice>;
}

interface SentRowProps {
  page: SentPage;
  index: number;
  nowMs: number;
  language: string;
  isDeleting: boolean;
  onRemove: () => void;
  onDelete: () => void;
}

/** One sent page: its link, its expiry, its downloads, and the buttons that copy the link and delete the files. */
function SentRow({ page, index, nowMs, language, isDeleting, onRemove, onDelete }: SentRowProps) {
  const { t } = useTranslation();
  const { addressOf, copyText } = useServices();
  const [row, status] = usePageStatus(page.pageId, index);
  const title = titleOf(t, page);
  const [isCopyFailed, setCopyFailed] = useState(false);
  const path = downloadPath(language, page.pageId);
  if (status === 'gone')
    return (
      <li ref={row} tabIndex={-1}>
        <div className={styles.about}>
          <span className="row-name">{title}</span>
          <span className="row-facts">{t('sent.gone')}</span>
        </div>
        <button
          type="button"
          className={buttonClass('quiet', 'bare')}
          aria-label={t('sent.removeNamed', { title })}
          onClick={onRemove}
        >
          <Icon name="close" size={18} />
        </button>
      </li>
    );
  const files = status === 'unknown' ? [] : status;
  const expiresAtMs = (firstExpiry(files) ?? page.expiresAtMs / 1000) * 1000;
  return (
    <li ref={row} tabIndex={-1}>
      <div className={styles.about}>
        <Link href={path} className="row-name">
          {title}
        </Link>
        <span className="row-facts">
          <span>{t('sent.expires', { time: formatTimeUntil((expiresAtMs - nowMs) / 1000, language) })}</span>
          {files.length > 0 && <span>{downloadsText(t, files, language)}</span>}
          {files.length > 0 && files.length < page.fileCount && (
            <span>{t('sent.filesLeft', { left: files.length, total: page.fileCount })}</span>
          )}
        </span>
        {isCopyFailed && (
          <span className="row-facts" role="status">
            {t('share.copyFailed')} {addressOf(path)}
          </span>
        )}
      </div>
      <div className={styles.actions}>
        <CopyButton
          aria-label={t('sent.copyNamed', { title })}
          copiedLabel={t('share.copied')}
          onCopy={() => copyText(addressOf(path))}
          onFail={() => setCopyFailed(true)}
        >
          {t('share.copyLink')}
        </CopyButton>
        <ConfirmButton
          shape="bare"
          aria-label={t('download.deleteNamed', { name: title })}
          question={
            page.fileCount === 1 ? t('download.deleteQuestion', { name: title }) : t('sent.deleteQuestion', { title })
          }
          confirmLabel={t('download.delete')}
          cancelLabel={t('download.keep')}
          isDisabled={isDeleting}
          onConfirm={onDelete}
        >
          <Icon name="trash" />
        </ConfirmButton>
      </div>
    </li>
  );
}

/** The files of a page may have been downloaded differently often. */
function downloadsText(t: Translate, files: readonly PageFile[], language: string): string {
  const counts = files.map((file) => file.currentDownloads);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const numbers = new Intl.NumberFormat(language);
  const times = least === most ? numbers.format(most) : numbers.formatRange(least, most);
  return t('sent.downloaded', { times, limit: files[0]?.maxDownloads });
}

/** The title of a sent page: the name of its first file, and how many more there are. */
function titleOf(t: Translate, { fileName, fileCount }: SentPage): string {
  if (fileName === '') return t('sent.hidden', { count: fileCount });
  const name = shownName(fileName);
  return fileCount === 1 ? name : t('sent.title', { name, count: fileCount - 1 });
}

const NOTICE_MS = 5000;

interface DeletionNotice {
  page: SentPage;
  isDeleted: boolean;
}

function useSentPages(sentPages: SentPages) {
  const pages = useSyncExternalStore(sentPages.subscribe, sentPages.list);
  const nowMs = useNow();
  const [deleting, setDeleting] = useState<ReadonlySet<string>>(new Set());
  const [notice, setNotice] = useState<DeletionNotice>();
  const section = useRef<HTMLElement>(null);
  /** The index of the row that this tab has removed, until the focus is moved. */
  const removedIndex = useRef<number>(undefined);

  useEffect(() => sentPages.removeExpired(nowMs), [sentPages, nowMs]);

  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(() => setNotice(undefined), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);

  // If the removed row had the focus, it moves to the row that took its place, or to the last one.
  const moveFocus = useEffectEvent((rowCount: number) => {
    if (removedIndex.current === undefined) return;
    const rows = section.current?.querySelectorAll('li');
    const next = rows?.[Math.min(removedIndex.current, rowCount - 1)] ?? section.current;
    removedIndex.current = undefined;
    if (document.activeElement === document.body) next?.focus({ preventScroll: true });
  });
  useEffect(() => moveFocus(pages.length), [pages.length]);

  function remove({ pageId }: SentPage): void {
    removedIndex.current = sentPages.list().findIndex((page) => page.pageId === pageId);
    sentPages.remove(pageId);
  }

  async function deleteFiles(page: SentPage): Promise<void> {
    const { pageId } = page;
    setDeleting((ids) => new Set(ids).add(pageId));
    const isDeleted = await sentPages.deleteFiles(pageId).then(
      () => true,
      () => false,
    );
    setDeleting((ids) => new Set([...ids].filter((id) => id !== pageId)));
    setNotice({ page, isDeleted });
    if (isDeleted) remove(page);
  }

  return {
    section,
    pages,
    nowMs,
    notice,
    isDeleting: ({ pageId }: SentPage) => deleting.has(pageId),
    remove,
    deleteFiles: (page: SentPage) => void deleteFiles(page),
  };
}

/** Unknown until the server has answered, for example without a network. */
type PageStatus = 'unknown' | 'gone' | readonly PageFile[];

const INTERVAL_MS = 60_000;
/** However many rows are visible, only so many requests are under way. */
const queues = Array.from({ length: 3 }, createMutex);

/** What the server says about a sent page. Asked when its row becomes visible, and then every minute. */
function usePageStatus(pageId: string, rowIndex: number): [RefObject<HTMLLIElement | null>, PageStatus] {
  const { api } = useServices();
  const row = useRef<HTMLLIElement>(null);
  const [isVisible, setVisible] = useState(false);
  const [status, setStatus] = useState<PageStatus>('unknown');
  const isGone = status === 'gone';

  useEffect(() => {
    const observer = new IntersectionObserver((changes) => setVisible(changes.at(-1)?.isIntersecting ?? false));
    if (row.current) observer.observe(row.current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (!isVisible || isGone) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    async function ask(): Promise<void> {
      if (signal.aborted || document.hidden) return;
      try {
        const { files } = await api.call('page', { params: { pageID: pageId } }, signal);
        if (!signal.aborted) setStatus(files.length > 0 ? files : 'gone');
      } catch (thrown) {
        if (!signal.aborted && asFailure(thrown).code === 'NOT_FOUND') setStatus('gone');
      }
    }
    const askInTurn = () => void queues[rowIndex % queues.length]?.(ask);
    askInTurn();
    const timer = setInterval(askInTurn, INTERVAL_MS);
    return () => {
      leaving.abort();
      clearInterval(timer);
    };
  }, [api, pageId, rowIndex, isVisible, isGone]);

  return [row, status];
}
