// The options of an upload: how long the files are stored, how often they may be downloaded, hidden names, a key of words, and
// a note for the recipient.
import { clampDownloadLimit, DOWNLOAD_LIMIT, RETENTION_DAYS, type RetentionDays } from '@furoshiki/api';
import { MAX_NOTE_LENGTH } from '@furoshiki/format';
import { useState } from 'react';
import { useTranslation } from '../../ui/i18n.ts';
import { Choice, Field, Input, TextArea } from '../../ui/field.tsx';
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
        <Input
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

interface EncryptedOptionsProps {
  /** Whether this instance hides the names of all files. */
  areNamesAlwaysHidden: boolean;
  hidesNames: boolean;
  onHidesNames: (isOn: boolean) => void;
  keyAsWords: boolean;
  onKeyAsWords: (isOn: boolean) => void;
  title: string;
  message: string;
  onNote: (changed: { title?: string; message?: string }) => void;
}

/** Options of encrypted uploads: hidden names, a key of words, and a note for the recipient. */
export function EncryptedOptions({
  areNamesAlwaysHidden,
  hidesNames,
  onHidesNames,
  keyAsWords,
  onKeyAsWords,
  title,
  message,
  onNote,
}: EncryptedOptionsProps) {
  const { t } = useTranslation();
  // Only at first: after that the user opens and closes it.
  const [startsOpen] = useState((hidesNames && !areNamesAlwaysHidden) || keyAsWords || title + message !== '');
  return (
    <div className={styles.encrypted}>
      {areNamesAlwaysHidden && <p className="soft">{t('home.namesHidden')}</p>}
      <details className={styles.more} open={startsOpen}>
        <summary>{t('home.moreOptions')}</summary>
        {!areNamesAlwaysHidden && (
          <Option
            label={t('home.hideNames')}
            hint={t('home.hideNamesHint')}
            isOn={hidesNames}
            onChange={onHidesNames}
          />
        )}
        <Option
          label={t('home.keyAsWords')}
          hint={t('home.keyAsWordsHint')}
          isOn={keyAsWords}
          onChange={onKeyAsWords}
        />
        <fieldset className={styles.note}>
          <legend>{t('home.addNote')}</legend>
          <p className="soft">{t('home.noteHint')}</p>
          <Field label={t('home.noteTitle')}>
            <Input
              maxLength={MAX_NOTE_LENGTH}
              value={title}
              onChange={({ target }) => onNote({ title: target.value })}
            />
          </Field>
          <Field label={t('home.noteMessage')}>
            <TextArea
              maxLength={MAX_NOTE_LENGTH}
              value={message}
              onChange={({ target }) => onNote({ message: target.value })}
            />
          </Field>
        </fieldset>
      </details>
    </div>
  );
}

interface OptionProps {
  label: string;
  hint: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

export function Option({ label, hint, isOn, onChange }: OptionProps) {
  return (
    <label className={styles.encrypt}>
      <input type="checkbox" checked={isOn} onChange={({ target }) => onChange(target.checked)} />
      <span>
        {label}
        <span className="soft">{hint}</span>
      </span>
    </label>
  );
}
