// One sent page: its link, its expiry, its downloads, and the buttons that copy the link and delete the files.
import type { PageFile } from '@furoshiki/api';
import { downloadPath } from '@furoshiki/site';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type SentPage, useServices } from '../../../services.ts';
import { firstExpiry, formatTimeUntil } from '../../../sharing/format-date.ts';
import { buttonClass } from '../../../ui/buttons/button.tsx';
import { ConfirmButton } from '../../../ui/buttons/confirm-button.tsx';
import { CopyButton } from '../../../ui/buttons/copy-button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import rowStyles from '../../../ui/styles/row.module.css';
import styles from './sent.module.css';
import { titleOf } from './title-of.ts';
import { usePageStatus } from './use-page-status.ts';

interface SentRowProps {
  page: SentPage;
  index: number;
  nowMs: number;
  language: string;
  isDeleting: boolean;
  onRemove: () => void;
  onDelete: () => void;
}

export function SentRow({ page, index, nowMs, language, isDeleting, onRemove, onDelete }: SentRowProps) {
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
          <span className={rowStyles.name}>{title}</span>
          <span className={rowStyles.facts}>{t('sent.gone')}</span>
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
        <Link href={path} className={rowStyles.name ?? ''}>
          {title}
        </Link>
        <span className={rowStyles.facts}>
          <span>{t('sent.expires', { time: formatTimeUntil((expiresAtMs - nowMs) / 1000, language) })}</span>
          {files.length > 0 && <span>{downloadsText(t, files, language)}</span>}
          {files.length > 0 && files.length < page.fileCount && (
            <span>{t('sent.filesLeft', { left: files.length, total: page.fileCount })}</span>
          )}
        </span>
        {isCopyFailed && (
          <span className={rowStyles.facts} role="status">
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
