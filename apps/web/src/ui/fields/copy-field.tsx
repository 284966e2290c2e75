// A read-only value with a button that copies it.
import type { ReactNode } from 'react';
import { CopyButton } from '../buttons/copy-button.tsx';
import styles from './field.module.css';

interface CopyFieldProps {
  label: string;
  /** May differ from the copied value, for example a masked key. */
  displayText: string;
  copyLabel: string;
  copiedLabel: string;
  onCopy: () => Promise<void>;
  children?: ReactNode;
}

export function CopyField({ label, displayText, copyLabel, copiedLabel, onCopy, children }: CopyFieldProps) {
  return (
    <div className={styles.field} role="group" aria-label={label}>
      <span className={styles.label}>{label}</span>
      <div className={styles.row}>
        <output className={styles.value}>{displayText}</output>
        {children}
        <CopyButton kind="main" copiedLabel={copiedLabel} onCopy={onCopy}>
          {copyLabel}
        </CopyButton>
      </div>
    </div>
  );
}
