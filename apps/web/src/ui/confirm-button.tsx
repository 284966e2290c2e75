// A button that asks once more before it does what cannot be undone.
import type { ReactNode } from 'react';
import { Dialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { Button } from './button.tsx';
import styles from './confirm-button.module.css';

interface ConfirmButtonProps {
  children: ReactNode;
  'aria-label'?: string;
  question: string;
  confirmLabel: string;
  cancelLabel: string;
  isDisabled?: boolean;
  onConfirm: () => void;
}

export function ConfirmButton({ question, confirmLabel, cancelLabel, onConfirm, ...button }: ConfirmButtonProps) {
  return (
    <DialogTrigger>
      <Button kind="quiet" {...button} />
      <ModalOverlay className={styles.overlay ?? ''} isDismissable>
        <Modal className={styles.modal ?? ''}>
          <Dialog role="alertdialog" className={styles.dialog ?? ''}>
            {({ close }) => (
              <>
                <Heading slot="title" className={styles.question ?? ''}>
                  {question}
                </Heading>
                <div className={styles.choices}>
                  <Button onPress={close}>{cancelLabel}</Button>
                  <Button
                    kind="main"
                    onPress={() => {
                      close();
                      onConfirm();
                    }}
                  >
                    {confirmLabel}
                  </Button>
                </div>
              </>
            )}
          </Dialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  );
}
