// Options of encrypted uploads: hidden names, and a note for the recipient.
import { MAX_NOTE_LENGTH } from '@furoshiki/core';
import { useId, useState } from 'react';
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

export function EncryptedOptions({ areNamesAlwaysHidden, hidesNames, ...props }: EncryptedOptionsProps) {
  const { t } = useTranslation();
  const { title, message, onNote } = props;
  const id = useId();
  // The user opens and closes it from then on.
  const [startsOpen] = useState(title !== '' || message !== '');
  return (
    <div className={styles.encrypted}>
      {areNamesAlwaysHidden ? (
        <p className={styles.hint}>{t('home.namesHidden')}</p>
      ) : (
        <label className={styles.encrypt}>
          <input type="checkbox" checked={hidesNames} onChange={({ target }) => props.onHidesNames(target.checked)} />
          <span>
            {t('home.hideNames')}
            <span className={styles.hint}>{t('home.hideNamesHint')}</span>
          </span>
        </label>
      )}
      <details className={styles.note} open={startsOpen}>
        <summary>{t('home.addNote')}</summary>
        <div className={fieldStyles.field}>
          <label htmlFor={`${id}-title`}>{t('home.noteTitle')}</label>
          <input
            id={`${id}-title`}
            className={fieldStyles.input}
            maxLength={MAX_NOTE_LENGTH}
            autoComplete="off"
            value={title}
            onChange={({ target }) => onNote({ title: target.value })}
          />
        </div>
        <div className={fieldStyles.field}>
          <label htmlFor={`${id}-message`}>{t('home.noteMessage')}</label>
          <textarea
            id={`${id}-message`}
            className={fieldStyles.input}
            maxLength={MAX_NOTE_LENGTH}
            aria-describedby={`${id}-hint`}
            value={message}
            onChange={({ target }) => onNote({ message: target.value })}
          />
          <p id={`${id}-hint`} className={fieldStyles.hint}>
            {t('home.noteHint')}
          </p>
        </div>
      </details>
    </div>
  );
}
