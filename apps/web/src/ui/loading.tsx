// A loading indicator. It appears after a short delay, so that fast loads do not flicker.
import styles from './loading.module.css';

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
