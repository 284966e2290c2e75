// Plain controls in the look of the app, with a label, and a choice between a few options. Fields with errors are in
// text-fields.tsx, which is not part of the first load.
import { type ComponentProps, type ReactNode, useId } from 'react';
import styles from './field.module.css';

export function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <label className={styles.field}>
      <span className={styles.label}>{label}</span>
      {children}
    </label>
  );
}

export function Input(props: Omit<ComponentProps<'input'>, 'className'>) {
  return <input {...props} className={styles.input} />;
}

export function TextArea(props: Omit<ComponentProps<'textarea'>, 'className'>) {
  return <textarea {...props} className={styles.input} />;
}

export function Select(props: Omit<ComponentProps<'select'>, 'className'>) {
  return <select {...props} className={styles.input} />;
}

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
