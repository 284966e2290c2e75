// The choice between the two ways to share: link and key apart, or one link with the key in it.
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './sharing.module.css';

export type Way = 'apart' | 'together';

interface WayChoiceProps {
  way: Way;
  onChange: (way: Way) => void;
}

export function WayChoice({ way, onChange }: WayChoiceProps) {
  const { t } = useTranslation();
  const id = useId();
  const options = [
    ['apart', t('share.linkAndKey'), t('share.apart')],
    ['together', t('share.linkWithKey'), t('share.linkWithKeyHint')],
  ] as const;
  return (
    <div className={styles.ways} role="radiogroup" aria-label={t('share.way')}>
      {options.map(([value, title, hint]) => (
        <label key={value} className={styles.way}>
          <input
            type="radio"
            name={id}
            aria-labelledby={`${id}-${value}`}
            aria-describedby={`${id}-${value}-hint`}
            checked={value === way}
            onChange={() => onChange(value)}
          />
          <strong id={`${id}-${value}`}>{title}</strong>
          <span id={`${id}-${value}-hint`}>{hint}</span>
        </label>
      ))}
    </div>
  );
}
