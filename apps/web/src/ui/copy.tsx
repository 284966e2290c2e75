// A button that copies a text and confirms it for three seconds, and a read-only value with such a button. A text that
// could not be copied is selected, so that the user can copy it by hand.
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';
import styles from './copy.module.css';
import fieldStyles from './field.module.css';
import { Icon } from './icon.tsx';

const CONFIRMED_MS = 3000;

interface CopyButtonProps {
  children: ReactNode;
  /** For a text that is ambiguous to screen readers. */
  'aria-label'?: string;
  copiedLabel: string;
  kind?: 'main' | 'plain';
  onCopy: () => Promise<void>;
  /** The clipboard was refused: show the text, so that it can be copied by hand. */
  onFail: () => void;
}

export function CopyButton({ children, copiedLabel, kind = 'plain', onCopy, onFail, ...props }: CopyButtonProps) {
  const [copies, setCopies] = useState(0);
  const [isConfirmed, setConfirmed] = useState(false);
  useEffect(() => {
    if (copies === 0) return undefined;
    setConfirmed(true);
    const timer = setTimeout(() => setConfirmed(false), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [copies]);
  const copy = () => onCopy().then(() => setCopies((count) => count + 1), onFail);
  return (
    <>
      <Button kind={kind} aria-label={isConfirmed ? undefined : props['aria-label']} onPress={() => void copy()}>
        <Icon name={isConfirmed ? 'check' : 'copy'} />
        {/* Both texts share one grid cell, so that the button keeps its width. */}
        <span className={styles.labels}>
          <span data-shown={!isConfirmed} aria-hidden={isConfirmed || undefined}>
            {children}
          </span>
          <span data-shown={isConfirmed} aria-hidden={isConfirmed ? undefined : true}>
            {copiedLabel}
          </span>
        </span>
      </Button>
      <span aria-live="polite" className="visually-hidden">
        {isConfirmed ? copiedLabel : ''}
      </span>
    </>
  );
}

interface CopyFieldProps {
  label: string;
  displayText: ReactNode;
  /** What is copied, if it differs from the displayed text, for example for a masked key. */
  fullText?: string;
  hint?: string | undefined;
  copyLabel: string;
  copiedLabel: string;
  /** Says that copying has failed, and that the text is selected. */
  failedLabel: string;
  onCopy: () => Promise<void>;
  children?: ReactNode;
}

/** A read-only value with a button that copies it. */
export function CopyField({ label, displayText, fullText, copyLabel, hint, ...props }: CopyFieldProps) {
  const [failures, setFailures] = useState(0);
  return (
    <div className={fieldStyles.field} role="group" aria-label={label}>
      <span className={fieldStyles.label}>{label}</span>
      <div className={styles.row}>
        {failures > 0 ? (
          <SelectedText key={failures}>{fullText ?? displayText}</SelectedText>
        ) : (
          <Value>{displayText}</Value>
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
      {hint !== undefined && <span className="hint">{hint}</span>}
      {failures > 0 && (
        <p role="alert" className={styles.failed}>
          {props.failedLabel}
        </p>
      )}
    </div>
  );
}

/** Only a text can be the content of an output. */
function Value({ children }: { children: ReactNode }) {
  const Element = typeof children === 'string' ? 'output' : 'div';
  return <Element className={styles.value}>{children}</Element>;
}

/** A text that could not be copied: it is selected when it appears, so that the user can copy it by hand. */
export function SelectedText({ children }: { children: ReactNode }) {
  const output = useRef<HTMLOutputElement>(null);
  useEffect(() => {
    if (output.current) getSelection()?.selectAllChildren(output.current);
  }, []);
  return (
    <output ref={output} className={styles.value}>
      {children}
    </output>
  );
}
