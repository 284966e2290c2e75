// The files of an upload that runs, and how far each has come.
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../ui/icon.tsx';
import { formatBytes } from '../../../ui/format-bytes.ts';
import styles from '../home.module.css';

type Badge = 'waiting' | 'uploading' | 'done' | 'cancelling';

interface SentFile {
  name: string;
  size: number;
}

interface UploadingFilesProps {
  files: readonly SentFile[];
  /** They go one by one: those before it have arrived. */
  currentIndex: number;
  isCancelling: boolean;
}

/** Drawn again only when the next file begins, however often the progress moves. */
export const UploadingFiles = memo(function UploadingFiles({ files, currentIndex, isCancelling }: UploadingFilesProps) {
  const { t } = useTranslation();
  return (
    <ul className={styles.files} aria-label={t('home.files')}>
      {files.map((file, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- two files may have one name, and the list never moves
        <UploadingRow key={index} {...file} badge={isCancelling ? 'cancelling' : badgeOf(index, currentIndex)} />
      ))}
    </ul>
  );
});

const UploadingRow = memo(function UploadingRow({ name, size, badge }: SentFile & { badge: Badge }) {
  const { t, i18n } = useTranslation();
  return (
    <li>
      <span className={styles.name}>{name}</span>
      <span className={styles.size}>{formatBytes(size, i18n.language)}</span>
      <span className={styles.badge} data-badge={badge}>
        {badge === 'done' && <Icon name="check" size={14} />}
        {t(`home.badge.${badge}`)}
      </span>
    </li>
  );
});

function badgeOf(index: number, currentIndex: number): Badge {
  if (index === currentIndex) return 'uploading';
  return index < currentIndex ? 'done' : 'waiting';
}
