// The list of what was sent from this browser: when each page expires, how often it was downloaded, open, copy, delete.
import type { PageFile } from '@furoshiki/api';
import { shownName } from '@furoshiki/format';
import { downloadPath } from '@furoshiki/site';
import type { TFunction } from 'i18next';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type SentPage, type SentPages, useServices } from '../../services.ts';
import { firstExpiry, formatTimeUntil } from '../../sharing/format-date.ts';
import { buttonClass } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { ConfirmButton } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Notice } from '../../ui/notice.tsx';
import listStyles from './file-picker.module.css';
import styles from './sent-pages.module.css';
import { usePageStatus, useSentPages } from './use-sent-pages.ts';

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
function downloadsText(t: TFunction, files: readonly PageFile[], language: string): string {
  const counts = files.map((file) => file.currentDownloads);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const numbers = new Intl.NumberFormat(language);
  const times = least === most ? numbers.format(most) : numbers.formatRange(least, most);
  return t('sent.downloaded', { times, limit: files[0]?.maxDownloads });
}

/** The title of a sent page: the name of its first file, and how many more there are. */
function titleOf(t: TFunction, { fileName, fileCount }: SentPage): string {
  const name = shownName(fileName);
  return fileCount === 1 ? name : t('sent.title', { name, count: fileCount - 1 });
}
