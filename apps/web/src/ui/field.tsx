// A control with its label above it, and the plain controls in the look of the app. Fields with errors are in
// text-fields.tsx, which is not part of the first load.
import type { ComponentProps, ReactNode } from 'react';
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
