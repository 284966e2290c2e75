// A choice between a few options, shown side by side. Native radio buttons bring arrow keys and screen reader support.
import { useId } from 'react';
import styles from './choice.module.css';

interface ChoiceProps<Value extends string | number> {
  label: string;
  /** Undefined if none of the options is chosen. */
  value: Value | undefined;
  options: readonly { value: Value; label: string }[];
  onChange: (value: Value) => void;
}

export function Choice<Value extends string | number>({ label, value, options, onChange }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div className={styles.group} role="radiogroup" aria-labelledby={id}>
      <span id={id} className={styles.label}>
        {label}
      </span>
      <div className={styles.options}>
        {options.map((option) => (
          <label key={option.value} className={styles.option}>
            <input
              type="radio"
              name={id}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
    </div>
  );
}
