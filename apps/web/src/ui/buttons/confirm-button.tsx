// A button that asks for confirmation before an action that cannot be undone. The native modal dialog traps the focus
// and restores it.
import { type ReactNode, useId, useRef } from 'react';
import { Button } from './button.tsx';
import styles from '../styles/dialog.module.css';

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

export function ConfirmButton({ question, confirmLabel, cancelLabel, onConfirm, ...button }: ConfirmButtonProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const questionId = useId();
  const close = () => dialog.current?.close();
  return (
    <>
      <Button kind="quiet" {...button} onPress={() => dialog.current?.showModal()} />
      <dialog ref={dialog} role="alertdialog" className={styles.dialog} aria-labelledby={questionId} closedby="any">
        <h2 id={questionId}>{question}</h2>
        <div className={styles.actions}>
          <Button onPress={close}>{cancelLabel}</Button>
          <Button
            kind="danger"
            onPress={() => {
              close();
              onConfirm();
            }}
          >
            {confirmLabel}
          </Button>
        </div>
      </dialog>
    </>
  );
}
