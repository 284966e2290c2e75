// Suggestions for what is being typed into a text field: a list below it, chosen from with the arrow keys and Enter or Tab, with
// the mouse or by touch. The field keeps the focus. It stays a plain text field, whose role never changes while it is used.
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import styles from './suggestions.module.css';

export interface Suggestions {
  options: readonly string[];
  /** The name of the list. */
  label: string;
  /** Says how many there are, and how to choose. Only for screen readers. */
  status: string;
  onChoose: (option: string) => void;
}

export function useSuggestions({ options, label, status, onChoose }: Suggestions) {
  const id = useId();
  const shown = options.join(' ');
  const [hasFocus, setFocus] = useState(false);
  const [closed, setClosed] = useState('');
  const [active, setActive] = useState<{ shown: string; index: number }>();
  const isOpen = hasFocus && options.length > 0 && closed !== shown;
  const index = isOpen && active?.shown === shown ? active.index : undefined;
  const optionId = (at: number) => `${id}-${at}`;

  function move(step: number): void {
    const next = index === undefined ? (step > 0 ? 0 : -1) : index + step;
    setActive({ shown, index: (next + options.length) % options.length });
  }

  /** The next list begins without a mark, also if it is the same. */
  function choose(option: string): void {
    setActive(undefined);
    onChoose(option);
  }

  function onKeyDown(event: KeyboardEvent): void {
    // Keys that choose among the letters of an input method belong to it.
    if (!isOpen || event.nativeEvent.isComposing) return;
    const chosen = index === undefined ? undefined : options[index];
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Escape') setClosed(shown);
    else if (chosen !== undefined && !event.shiftKey && (event.key === 'Enter' || event.key === 'Tab')) choose(chosen);
    else return;
    event.preventDefault();
  }

  const list: ReactNode = (
    <>
      {isOpen && (
        <div id={id} role="listbox" aria-label={label} className={styles.list}>
          {options.map((option, at) => (
            <button
              key={option}
              type="button"
              tabIndex={-1}
              id={optionId(at)}
              role="option"
              aria-selected={at === index}
              className={styles.option}
              // The field must keep the focus, or a screen keyboard would close after each word.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(option)}
            >
              {option}
            </button>
          ))}
        </div>
      )}
      <span aria-live="polite" className="visually-hidden">
        {isOpen && status}
      </span>
    </>
  );
  const inputProps = {
    onKeyDown,
    onFocus: () => setFocus(true),
    onInput: () => setActive(undefined),
    'aria-autocomplete': 'list' as const,
    'aria-controls': isOpen ? id : undefined,
    'aria-activedescendant': index === undefined ? undefined : optionId(index),
  };
  return { inputProps, list, close: () => setFocus(false) };
}
