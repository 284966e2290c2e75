// How long the files live and how often they may be downloaded.
import { clampDownloadLimit, DOWNLOAD_LIMIT, RETENTION_DAYS, type RetentionDays } from '@furoshiki/core';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Choice } from '../../ui/choice.tsx';
import fieldStyles from '../../ui/field.module.css';
import styles from './home.module.css';

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
  const [typed, setTyped] = useState('');
  const customId = useId();
  return (
    <div className={styles.options}>
      <Choice
        label={t('home.retention')}
        value={retentionDays}
        options={RETENTION_DAYS.map((days) => ({ value: days, label: t('home.days', { count: days }) }))}
        onChange={onRetentionDays}
      />
      <Choice
        label={t('home.limit')}
        value={typed === '' ? downloadLimit : 0}
        options={DOWNLOAD_LIMIT.shortcuts.map((limit) => ({ value: limit, label: String(limit) }))}
        onChange={(limit) => {
          setTyped('');
          onDownloadLimit(limit);
        }}
      />
      <div className={fieldStyles.field}>
        <label htmlFor={customId}>{t('home.customLimit')}</label>
        <input
          id={customId}
          className={fieldStyles.input}
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
