// Options of encrypted uploads: hidden names, and a note for the recipient.
import { MAX_NOTE_LENGTH } from '@furoshiki/format';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import fieldStyles from '../../../ui/fields/field.module.css';
import styles from './options.module.css';

interface EncryptedOptionsProps {
  /** Whether this instance hides the names of all files. */
  areNamesAlwaysHidden: boolean;
  hidesNames: boolean;
  onHidesNames: (isOn: boolean) => void;
  title: string;
  message: string;
  onNote: (changed: { title?: string; message?: string }) => void;
}

export function EncryptedOptions({
  areNamesAlwaysHidden,
  hidesNames,
  onHidesNames,
  title,
  message,
  onNote,
}: EncryptedOptionsProps) {
  const { t } = useTranslation();
  // Only at first: after that the user opens and closes it.
  const [startsOpen] = useState(title + message !== '');
  return (
    <div className={styles.encrypted}>
      {areNamesAlwaysHidden ? (
        <p className={styles.hint}>{t('home.namesHidden')}</p>
      ) : (
        <label className={styles.encrypt}>
          <input type="checkbox" checked={hidesNames} onChange={({ target }) => onHidesNames(target.checked)} />
          <span>
            {t('home.hideNames')}
            <span className={styles.hint}>{t('home.hideNamesHint')}</span>
          </span>
        </label>
      )}
      <details className={styles.note} open={startsOpen}>
        <summary>{t('home.addNote')}</summary>
        <p className={styles.hint}>{t('home.noteHint')}</p>
        <label className={fieldStyles.field}>
          {t('home.noteTitle')}
          <input
            className={fieldStyles.input}
            maxLength={MAX_NOTE_LENGTH}
            value={title}
            onChange={({ target }) => onNote({ title: target.value })}
          />
        </label>
        <label className={fieldStyles.field}>
          {t('home.noteMessage')}
          <textarea
            className={fieldStyles.input}
            maxLength={MAX_NOTE_LENGTH}
            value={message}
            onChange={({ target }) => onNote({ message: target.value })}
          />
        </label>
      </details>
    </div>
  );
}
