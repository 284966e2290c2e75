// Dialogs, and a button that asks for confirmation before an action that cannot be undone. The native modal dialog
// traps the focus and restores it. A list may have a thousand of these buttons, so the dialog exists only while it is
// open.
import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button, buttonClass } from './button.tsx';
import styles from './dialog.module.css';

interface ConfirmButtonProps {
  children: ReactNode;
  'aria-label'?: string;
  shape?: 'bare';
  question: string;
  confirmLabel: string;
  cancelLabel: string;
  isDisabled?: boolean;
  onConfirm: () => void;
}

export function ConfirmButton({ shape, isDisabled = false, children, ...props }: ConfirmButtonProps) {
  const { question, confirmLabel, cancelLabel, onConfirm } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={buttonClass('quiet', shape)}
        aria-label={props['aria-label']}
        disabled={isDisabled}
        onClick={() => setIsOpen(true)}
      >
        {children}
      </button>
      {isOpen && (
        <ConfirmDialog {...{ question, confirmLabel, cancelLabel, onConfirm }} onClose={() => setIsOpen(false)} />
      )}
    </>
  );
}

interface ConfirmDialogProps
  extends Pick<ConfirmButtonProps, 'question' | 'confirmLabel' | 'cancelLabel' | 'onConfirm'> {
  /** Of the button that confirms. */
  kind?: 'main' | 'danger';
  onClose: () => void;
}

/** The dialog alone, for an action that asks only in some cases. */
export function ConfirmDialog({ question, kind = 'danger', onConfirm, onClose, ...labels }: ConfirmDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const questionId = useId();
  // Does not wait for the close event, which comes later: the button may be pressed again before.
  const close = () => {
    dialog.current?.close();
    onClose();
  };
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <Dialog ref={dialog} role="alertdialog" aria-labelledby={questionId} onClose={onClose}>
      <h2 id={questionId}>{question}</h2>
      <DialogActions>
        <Button onPress={close}>{labels.cancelLabel}</Button>
        <Button
          kind={kind}
          onPress={() => {
            close();
            onConfirm();
          }}
        >
          {labels.confirmLabel}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

interface DialogProps extends Omit<ComponentProps<'dialog'>, 'className' | 'closedby'> {
  /** For content that needs as much of the screen as there is. */
  isWide?: boolean;
}

export function Dialog({ isWide = false, ...props }: DialogProps) {
  return <dialog {...props} className={isWide ? `${styles.dialog} ${styles.wide}` : styles.dialog} closedby="any" />;
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}
