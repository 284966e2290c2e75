// A button in one of the house's three kinds.
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import styles from './button.module.css';

interface ButtonProps extends Omit<AriaButtonProps, 'className'> {
  kind?: 'main' | 'plain' | 'quiet';
}

export function Button({ kind = 'plain', ...rest }: ButtonProps) {
  return <AriaButton {...rest} className={`${styles.button} ${styles[kind]}`} />;
}
