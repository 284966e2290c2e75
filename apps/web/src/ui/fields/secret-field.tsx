// A text field that hides its content until the user asks to see it, with a hint and an error.
import { type Ref, useState } from 'react';
import { FieldError, Input, Label, Text, TextField } from 'react-aria-components';
import { Button } from '../buttons/button.tsx';
import styles from './field.module.css';
import { Icon } from '../icon.tsx';

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

export function SecretField({ label, hint, error, value, onChange, onBlur, inputRef, ...labels }: SecretFieldProps) {
  const [isShown, setShown] = useState(false);
  return (
    <TextField
      className={styles.field ?? ''}
      type={isShown ? 'text' : 'password'}
      value={value}
      onChange={onChange}
      {...(onBlur ? { onBlur } : {})}
      isInvalid={error !== undefined}
      autoComplete="off"
      spellCheck="false"
    >
      <Label>{label}</Label>
      <div className={styles.row}>
        <Input ref={inputRef} className={`${styles.input} ${styles.secret}`} />
        <div className={styles.showButton}>
          <Button
            kind="quiet"
            shape="bare"
            aria-label={isShown ? labels.hideLabel : labels.showLabel}
            onPress={() => setShown(!isShown)}
          >
            <Icon name={isShown ? 'eyeOff' : 'eye'} />
          </Button>
        </div>
      </div>
      <Text slot="description" className={styles.hint ?? ''}>
        {hint}
      </Text>
      <div aria-live="polite" className={styles.liveError}>
        <FieldError className={styles.error ?? ''}>{error}</FieldError>
      </div>
    </TextField>
  );
}
