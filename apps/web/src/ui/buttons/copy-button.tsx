// A button that copies a text and confirms it for three seconds.
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Icon } from '../icon.tsx';
import hiddenStyles from '../styles/visually-hidden.module.css';
import styles from './copy-button.module.css';

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
      <span aria-live="polite" className={hiddenStyles.visuallyHidden}>
        {isConfirmed ? copiedLabel : ''}
      </span>
    </>
  );
}
