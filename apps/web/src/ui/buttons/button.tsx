// A button in one of the house's four kinds.
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import styles from './button.module.css';

type Kind = 'main' | 'plain' | 'quiet' | 'danger';

interface ButtonProps extends Omit<AriaButtonProps, 'className'> {
  kind?: Kind;
  /** `wide` is the one thing to do on a screen; `bare` holds an icon alone. */
  shape?: 'wide' | 'bare';
}

export function Button({ kind = 'plain', shape, ...rest }: ButtonProps) {
  return <AriaButton {...rest} className={buttonClass(kind, shape)} />;
}

/** For what looks like a button and is none: a link, the trigger of a popover. */
export function buttonClass(kind: Kind, shape?: 'wide' | 'bare'): string {
  return [styles.button, styles[kind], shape && styles[shape]].filter(Boolean).join(' ');
}
