// The options of an upload: how long the files are stored, and how often they may be downloaded.
import { clampDownloadLimit, DOWNLOAD_LIMIT, RETENTION_DAYS, type RetentionDays } from '@furoshiki/core';
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
  // After an upload the options keep their values, so a custom limit is shown again.
  const [typed, setTyped] = useState(shortcuts.includes(downloadLimit) ? '' : String(downloadLimit));
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
          value={typed === '' ? downloadLimit : undefined}
          options={shortcuts.map((limit) => ({ value: limit, label: String(limit) }))}
          onChange={(limit) => {
            setTyped('');
            onDownloadLimit(limit);
          }}
        />
        <input
          className={fieldStyles.input}
          aria-label={t('home.customLimit')}
          placeholder={t('home.customTitle')}
          title={t('home.customLimit')}
          data-chosen={typed !== ''}
          type="number"
          inputMode="numeric"
          min={DOWNLOAD_LIMIT.min}
          max={DOWNLOAD_LIMIT.max}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            onDownloadLimit(
              event.target.value === '' ? DOWNLOAD_LIMIT.default : clampDownloadLimit(event.target.value),
            );
          }}
          onBlur={() => setTyped((text) => (text === '' ? '' : String(clampDownloadLimit(text))))}
        />
      </div>
    </div>
  );
}
