// The button of the app, in four kinds and three shapes. ADR 15 explains why it is not React Aria's.
import type { ComponentProps } from 'react';
import styles from './button.module.css';

type Kind = 'main' | 'plain' | 'quiet' | 'danger';

interface ButtonProps extends Omit<ComponentProps<'button'>, 'className' | 'disabled' | 'onClick'> {
  kind?: Kind;
  /** `wide` is for the main action of a screen, `bare` for a button that holds only an icon. */
  shape?: 'wide' | 'bare';
  isDisabled?: boolean;
  onPress?: () => void;
}

export function Button({ kind = 'plain', shape, type = 'button', isDisabled, onPress, ...rest }: ButtonProps) {
  return <button {...rest} type={type} className={buttonClass(kind, shape)} disabled={isDisabled} onClick={onPress} />;
}

/** For elements that only look like our button, such as links. */
export function buttonClass(kind: Kind, shape?: 'wide' | 'bare'): string {
  return [styles.button, styles[kind], shape && styles[shape]].filter(Boolean).join(' ');
}
