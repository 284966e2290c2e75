// A value to be handed on, with a button that copies it and says so for three seconds.
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import styles from './field.module.css';

const CONFIRMED_MS = 3000;

interface CopyFieldProps {
  label: string;
  shown: string;
  copyLabel: string;
  copiedLabel: string;
  onCopy: () => Promise<void>;
  children?: React.ReactNode;
}

export function CopyField({ label, shown, copyLabel, copiedLabel, onCopy, children }: CopyFieldProps) {
  const [copies, setCopies] = useState(0);
  const [isConfirmed, setConfirmed] = useState(false);
  useEffect(() => {
    if (copies === 0) return undefined;
    setConfirmed(true);
    const timer = setTimeout(() => setConfirmed(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copies]);
  return (
    <div className={styles.field} role="group" aria-label={label}>
      <span className={styles.label}>{label}</span>
      <output className={styles.value}>{shown}</output>
      <div className={styles.row}>
        <Button
          kind="main"
          onPress={() =>
            void onCopy().then(
              () => setCopies((count) => count + 1),
              () => undefined,
            )
          }
        >
          {copyLabel}
        </Button>
        {children}
        <span aria-live="polite" className={styles.confirmed}>
          {isConfirmed ? copiedLabel : ''}
        </span>
      </div>
    </div>
  );
}
