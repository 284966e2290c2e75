// A labelled text field of one line or several, with an error below it.
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
    // Whether it is right is for the form to say, in the reader's language: the browser's own bubbles stay away.
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
