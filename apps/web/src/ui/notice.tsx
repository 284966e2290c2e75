// A message that screen readers announce when it appears.
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';
import styles from './notice.module.css';

const ICONS = { good: 'check', bad: 'alert', plain: 'info' } as const;

export function Notice({ kind, children }: { kind: 'good' | 'bad' | 'plain'; children: ReactNode }) {
  return (
    <div className={`${styles.notice} ${styles[kind]}`} role={kind === 'bad' ? 'alert' : 'status'}>
      <Icon name={ICONS[kind]} />
      <div className={styles.body}>{children}</div>
    </div>
  );
}
