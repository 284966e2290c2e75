// Labelled text fields with an error below: one or several lines, or a secret that is hidden until the user asks to see
// it. Native inputs, connected to their hints and errors by ids.
import { type Ref, useId, useState } from 'react';
import { Button } from './button.tsx';
import styles from './field.module.css';
import { Icon } from './icon.tsx';

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
  showLabel: string;
  hideLabel: string;
}

/** A text field that hides its content until the user asks to see it, with a hint and an error. */
export function SecretField({
  label,
  hint,
  error,
  onChange,
  showLabel,
  hideLabel,
  inputRef,
  ...rest
}: SecretFieldProps) {
  const id = useId();
  const hintId = useId();
  const errorId = useId();
  const [isShown, setShown] = useState(false);
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <div className={styles.secretRow}>
        <input
          {...rest}
          ref={inputRef}
          id={id}
          className={`${styles.input} ${styles.secret}`}
          type={isShown ? 'text' : 'password'}
          onChange={({ target }) => onChange(target.value)}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error === undefined ? undefined : true}
          aria-describedby={error === undefined ? hintId : `${hintId} ${errorId}`}
        />
        <div className={styles.showButton}>
          <Button
            kind="quiet"
            shape="bare"
            aria-label={isShown ? hideLabel : showLabel}
            onPress={() => setShown(!isShown)}
          >
            <Icon name={isShown ? 'eyeOff' : 'eye'} />
          </Button>
        </div>
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
