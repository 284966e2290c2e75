// The button of the app, in four kinds and three shapes, one that opens the dialog for choosing files, and one that
// opens a panel below it. ADR 15 explains why they are native.
import { type ComponentProps, type ReactNode, type ToggleEvent, useEffect, useEffectEvent, useId, useRef } from 'react';
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

interface FileButtonProps {
  kind?: 'main' | 'plain';
  isFolder?: boolean;
  onFiles: (files: FileList | null) => void;
  children: ReactNode;
}

/** A button that opens the browser's dialog for choosing files, or a folder. */
export function FileButton({ kind = 'plain', isFolder = false, onFiles, children }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  function choose(): void {
    if (!input.current) return;
    // Otherwise choosing the same files again would not be a change.
    input.current.value = '';
    input.current.click();
  }
  return (
    <>
      <Button kind={kind} onPress={choose}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={!isFolder}
        // A spread, because the types of React do not know this attribute.
        {...(isFolder ? { webkitdirectory: '' } : {})}
        onChange={(event) => onFiles(event.target.files)}
      />
    </>
  );
}

const GAP_PX = 8;

interface PopoverProps {
  /** The content of the button. If it has no text, `label` names the button. */
  trigger: ReactNode;
  label?: string;
  /** The edge at which panel and button are aligned. */
  align: 'start' | 'end';
  onOpen?: () => void;
  children: ReactNode;
}

export function Popover({ trigger, label, align, onOpen, children }: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  // The browser opens it also before React has hydrated the page, and then nothing says so.
  const openedBefore = useEffectEvent(() => panel.current?.matches(':popover-open') && onOpen?.());
  useEffect(() => void openedBefore(), []);

  /** Places the panel, in page coordinates, so that it scrolls with its button. */
  function open({ currentTarget, newState }: ToggleEvent<HTMLDivElement>): void {
    const box = button.current?.getBoundingClientRect();
    if (!box || newState !== 'open') return;
    onOpen?.();
    const { clientWidth } = document.documentElement;
    const { style } = currentTarget;
    style.top = `${box.bottom + scrollY + GAP_PX}px`;
    style.left = align === 'start' ? `${box.left}px` : 'auto';
    style.right = align === 'end' ? `${clientWidth - box.right}px` : 'auto';
  }

  return (
    <>
      <button ref={button} type="button" className={buttonClass('quiet')} aria-label={label} popoverTarget={id}>
        {trigger}
      </button>
      <div ref={panel} id={id} popover="auto" className={styles.panel} onBeforeToggle={open}>
        {children}
      </div>
    </>
  );
}
