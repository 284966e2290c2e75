// Labelled text fields with an error below: one or several lines, or a secret that is hidden until the user asks to see
// it. Native inputs, connected to their hints and errors by ids.
import { type ClipboardEvent, type Ref, useId, useState } from 'react';
import { Button } from './button.tsx';
import styles from './field.module.css';
import { Icon } from './icon.tsx';
import { type Suggestions, useSuggestions } from './suggestions.tsx';

interface TextFieldProps {
  label: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  error: string | undefined;
  type?: 'text' | 'email';
  autoComplete?: string;
  maxLength: number;
  isMultiline?: boolean;
  isOptional?: boolean;
}

export function TextField({
  label,
  error,
  isMultiline = false,
  isOptional = false,
  type = 'text',
  onChange,
  ...rest
}: TextFieldProps) {
  const id = useId();
  const errorId = useId();
  const control = {
    ...rest,
    id,
    className: styles.input,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
    // Not `required`: the form validates and shows errors in the user's language, so native validation bubbles are off.
    'aria-required': !isOptional,
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': error === undefined ? undefined : errorId,
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {isMultiline ? <textarea {...control} /> : <input {...control} type={type} />}
      {error !== undefined && (
        <span id={errorId} className={styles.error}>
          {error}
        </span>
      )}
    </div>
  );
}

interface SecretFieldProps {
  label: string;
  hint: string;
  error: string | undefined;
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  inputRef?: Ref<HTMLInputElement>;
  suggestions?: Suggestions;
  showLabel: string;
  hideLabel: string;
}

const NO_SUGGESTIONS: Suggestions = { options: [], label: '', status: '', onChoose: () => undefined };

/** A text field that hides its content until the user asks to see it, with suggestions, a hint and an error. */
export function SecretField({
  label,
  hint,
  error,
  onChange,
  showLabel,
  hideLabel,
  inputRef,
  onBlur,
  suggestions,
  ...rest
}: SecretFieldProps) {
  const id = useId();
  const hintId = useId();
  const errorId = useId();
  const [isShown, setShown] = useState(false);
  const { inputProps, list, close } = useSuggestions(suggestions ?? NO_SUGGESTIONS);

  /** A field of one line drops line breaks: the words on both sides would become one. */
  function onPaste(event: ClipboardEvent<HTMLInputElement>): void {
    const pasted = event.clipboardData.getData('text/plain');
    if (!/[\r\n]/u.test(pasted)) return;
    event.preventDefault();
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    const [from, to] = [selectionStart ?? value.length, selectionEnd ?? value.length];
    onChange(value.slice(0, from) + pasted.replaceAll(/[\r\n]+/gu, ' ') + value.slice(to));
  }

  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.secretRow}>
        <input
          {...rest}
          {...inputProps}
          ref={inputRef}
          id={id}
          className={`${styles.input} ${styles.secret}`}
          type={isShown ? 'text' : 'password'}
          onChange={({ target }) => onChange(target.value)}
          onPaste={onPaste}
          onBlur={() => {
            close();
            onBlur?.();
          }}
          autoComplete="off"
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? hintId : `${hintId} ${errorId}`}
        />
        {/* The field keeps the focus: who shows what is being typed goes on typing. */}
        <div role="presentation" className={styles.showButton} onMouseDown={(event) => event.preventDefault()}>
          <Button
            kind="quiet"
            shape="bare"
            aria-label={isShown ? hideLabel : showLabel}
            onPress={() => setShown(!isShown)}
          >
            <Icon name={isShown ? 'eyeOff' : 'eye'} />
          </Button>
        </div>
        {list}
      </div>
      <span id={hintId} className="hint">
        {hint}
      </span>
      <div aria-live="polite" className={styles.liveError}>
        {error !== undefined && (
          <span id={errorId} className={styles.error}>
            {error}
          </span>
        )}
      </div>
    </div>
  );
}
