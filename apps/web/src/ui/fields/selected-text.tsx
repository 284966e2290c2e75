// A text that could not be copied: it is selected when it appears, so that the user can copy it by hand.
import { useEffect, useRef } from 'react';
import styles from './field.module.css';

export function SelectedText({ text }: { text: string }) {
  const output = useRef<HTMLOutputElement>(null);
  useEffect(() => {
    if (output.current) getSelection()?.selectAllChildren(output.current);
  }, []);
  return (
    <output ref={output} className={styles.value}>
      {text}
    </output>
  );
}
