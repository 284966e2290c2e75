// The options of an upload: how long the files are stored, and how often they may be downloaded.
import { clampDownloadLimit, DOWNLOAD_LIMIT, RETENTION_DAYS, type RetentionDays } from '@furoshiki/api';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../../ui/fields/choice.tsx';
import fieldStyles from '../../../ui/fields/field.module.css';
import styles from './options.module.css';

interface SendingOptionsProps {
  retentionDays: RetentionDays;
  downloadLimit: number;
  onRetentionDays: (days: RetentionDays) => void;
  onDownloadLimit: (limit: number) => void;
}

export function SendingOptions({
  retentionDays,
  downloadLimit,
  onRetentionDays,
  onDownloadLimit,
}: SendingOptionsProps) {
  const { t } = useTranslation();
  const shortcuts: readonly number[] = DOWNLOAD_LIMIT.shortcuts;
  // Undefined while a shortcut is chosen. The options outlive this component, so a custom limit is shown again.
  const [typed, setTyped] = useState(shortcuts.includes(downloadLimit) ? undefined : String(downloadLimit));
  return (
    <div className={styles.options}>
      <Choice
        label={t('home.retention')}
        value={retentionDays}
        options={RETENTION_DAYS.map((days) => ({ value: days, label: t('home.days', { count: days }) }))}
        onChange={onRetentionDays}
      />
      <div className={styles.limit}>
        <Choice
          label={t('home.limit')}
          value={typed === undefined ? downloadLimit : undefined}
          options={shortcuts.map((limit) => ({ value: limit, label: String(limit) }))}
          onChange={(limit) => {
            setTyped(undefined);
            onDownloadLimit(limit);
          }}
        />
        <input
          className={fieldStyles.input}
          aria-label={t('home.customLimit')}
          placeholder={t('home.customTitle')}
          title={t('home.customLimit')}
          data-chosen={typed !== undefined}
          // Not a number field: that hides what is no number, changes with the mouse wheel, and covers the placeholder.
          type="text"
          inputMode="numeric"
          autoComplete="off"
          value={typed ?? ''}
          onChange={({ target }) => {
            setTyped(target.value);
            onDownloadLimit(clampDownloadLimit(target.value));
          }}
          onBlur={() => setTyped((text) => (text === undefined ? undefined : String(downloadLimit)))}
        />
      </div>
    </div>
  );
}
