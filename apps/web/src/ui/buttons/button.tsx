// The button of the app, in four kinds and three shapes.
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import styles from './button.module.css';

type Kind = 'main' | 'plain' | 'quiet' | 'danger';

interface ButtonProps extends Omit<AriaButtonProps, 'className'> {
  kind?: Kind;
  /** `wide` is for the main action of a screen, `bare` for a button that holds only an icon. */
  shape?: 'wide' | 'bare';
}

export function Button({ kind = 'plain', shape, ...rest }: ButtonProps) {
  return <AriaButton {...rest} className={buttonClass(kind, shape)} />;
}

/** For elements that only look like our button: links, native buttons. */
export function buttonClass(kind: Kind, shape?: 'wide' | 'bare'): string {
  return [styles.button, styles[kind], shape && styles[shape]].filter(Boolean).join(' ');
}
