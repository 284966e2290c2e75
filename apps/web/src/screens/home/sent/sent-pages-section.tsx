// The list of what was sent from this browser: when each page expires, how often it was downloaded, open, copy, delete.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { SentPages } from '../../../services.ts';
import { Notice } from '../../../ui/notice.tsx';
import { SentRow } from './sent-row.tsx';
import listStyles from '../file-list.module.css';
import styles from './sent.module.css';
import { titleOf } from './title-of.ts';
import { useSentPages } from './use-sent-pages.ts';

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
          <p className={styles.hint}>{t('sent.hint')}</p>
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
