// A labelled text field with one or several lines and an error below it.
import { FieldError, Input, Label, TextArea, TextField as AriaTextField } from 'react-aria-components';
import styles from './field.module.css';

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
}

export function TextField({ label, error, isMultiline = false, ...rest }: TextFieldProps) {
  return (
    // The form validates and shows errors in the user's language, so native validation bubbles are off.
    <AriaTextField
      {...rest}
      className={styles.field ?? ''}
      isRequired
      validationBehavior="aria"
      isInvalid={error !== undefined}
    >
      <Label>{label}</Label>
      {isMultiline ? <TextArea className={styles.input ?? ''} /> : <Input className={styles.input ?? ''} />}
      <FieldError className={styles.error ?? ''}>{error}</FieldError>
    </AriaTextField>
  );
}
