// A read-only value with a button that copies it.
import { type ReactNode, useState } from 'react';
import { CopyButton } from '../buttons/copy-button.tsx';
import styles from './field.module.css';
import { SelectedText } from './selected-text.tsx';

interface CopyFieldProps {
  label: string;
  displayText: string;
  /** What is copied, if it differs from the displayed text, for example for a masked key. */
  fullText?: string;
  copyLabel: string;
  copiedLabel: string;
  /** Says that copying has failed, and that the text is selected. */
  failedLabel: string;
  onCopy: () => Promise<void>;
  children?: ReactNode;
}

export function CopyField({ label, displayText, fullText = displayText, copyLabel, ...props }: CopyFieldProps) {
  const [failures, setFailures] = useState(0);
  return (
    <div className={styles.field} role="group" aria-label={label}>
      <span className={styles.label}>{label}</span>
      <div className={styles.row}>
        {failures > 0 ? (
          <SelectedText key={failures} text={fullText} />
        ) : (
          <output className={styles.value}>{displayText}</output>
        )}
        {failures === 0 && props.children}
        <CopyButton
          kind="main"
          copiedLabel={props.copiedLabel}
          onCopy={props.onCopy}
          onFail={() => setFailures((count) => count + 1)}
        >
          {copyLabel}
        </CopyButton>
      </div>
      {failures > 0 && (
        <p role="alert" className={styles.failed}>
          {props.failedLabel}
        </p>
      )}
    </div>
  );
}
