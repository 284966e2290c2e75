// A message that a screen reader speaks as soon as it appears.
import type { ReactNode } from 'react';
import styles from './notice.module.css';

export function Notice({ kind, children }: { kind: 'good' | 'bad'; children: ReactNode }) {
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
