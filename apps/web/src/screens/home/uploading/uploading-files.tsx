// The files of a running upload, each with its status.
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../../ui/icon.tsx';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import listStyles from '../file-list.module.css';
import styles from './uploading-files.module.css';

type Badge = 'waiting' | 'uploading' | 'done' | 'cancelling';

interface UploadingFile {
  name: string;
  size: number;
}

interface UploadingFilesProps {
  files: readonly UploadingFile[];
  /** All files before this index are done. */
  currentIndex: number;
  isCancelling: boolean;
}

/** Rows that render together. A list of any length costs the same: only the rows around the current file change. */
const GROUP = 25;

/** Memoised: it renders once per file, not on every progress update. */
export const UploadingFiles = memo(function UploadingFiles(props: UploadingFilesProps) {
  const { files, currentIndex, isCancelling } = props;
  const { t } = useTranslation();
  const groups = useMemo(
    () =>
      Array.from({ length: Math.ceil(files.length / GROUP) }, (_, n) => ({
        first: n * GROUP,
        files: files.slice(n * GROUP, (n + 1) * GROUP),
      })),
    [files],
  );
  return (
    <ul className={`${listStyles.box} ${listStyles.files}`} aria-label={t('home.files')}>
      {groups.map((group) => {
        const current = Math.min(Math.max(currentIndex - group.first, -1), GROUP);
        return (
          <UploadingRows key={group.first} files={group.files} currentIndex={current} isCancelling={isCancelling} />
        );
      })}
    </ul>
  );
});

const UploadingRows = memo(function UploadingRows({ files, currentIndex, isCancelling }: UploadingFilesProps) {
  return files.map((file, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- two files may have the same name, and the list never changes
    <UploadingRow key={index} {...file} badge={isCancelling ? 'cancelling' : badgeOf(index, currentIndex)} />
  ));
});

const UploadingRow = memo(function UploadingRow({ name, size, badge }: UploadingFile & { badge: Badge }) {
  const { t, i18n } = useTranslation();
  return (
    <li>
      <span className={listStyles.name}>{name}</span>
      <span className={listStyles.size}>{formatBytes(size, i18n.language)}</span>
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
