// What a screen says: a message that screen readers announce when it appears, and that something is loading.
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import styles from './message.module.css';

const ICONS = { good: 'check', bad: 'alert', plain: 'info' } as const;

export function Notice({ kind, children }: { kind: 'good' | 'bad' | 'plain'; children: ReactNode }) {
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={ICONS[kind]} />
      <div className={styles.body}>{children}</div>
    </div>
  );
}

export function Loading({ label }: { label: string }) {
  return (
    <div className={styles.loading} role="status">
      <svg className={styles.cloth} viewBox="0 0 32 32" width="40" height="40" aria-hidden="true">
        <path d="M16 2 30 16 16 30 2 16Z" />
        <path className={styles.inner} d="M16 9 23 16 16 23 9 16Z" />
      </svg>
      <span>{label}</span>
    </div>
  );
}
