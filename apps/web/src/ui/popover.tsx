// A button that opens a panel beside it. The browser's own popover closes it on Escape and on a press outside, and gives
// the focus back. docs/adr/0015-native-overlays.md says why it is not React Aria's.
import { type ReactNode, type ToggleEvent, useId, useRef } from 'react';
import { buttonClass } from './buttons/button.tsx';
import styles from './popover.module.css';

const GAP_PX = 8;

interface PopoverProps {
  /** What the button shows; `label` names it where that is no text. */
  trigger: ReactNode;
  label?: string;
  /** The side that panel and button share. */
  align: 'start' | 'end';
  children: ReactNode;
}

export function Popover({ trigger, label, align, children }: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);

  /** In the page's coordinates, so that it scrolls along with its button. */
  function place({ currentTarget: panel, newState }: ToggleEvent<HTMLDivElement>): void {
    const box = button.current?.getBoundingClientRect();
    if (!box || newState !== 'open') return;
    const { clientWidth } = document.documentElement;
    panel.style.top = `${box.bottom + scrollY + GAP_PX}px`;
    panel.style.left = align === 'start' ? `${box.left}px` : 'auto';
    panel.style.right = align === 'end' ? `${clientWidth - box.right}px` : 'auto';
  }

  return (
    <>
      <button ref={button} type="button" className={buttonClass('quiet')} aria-label={label} popoverTarget={id}>
        {trigger}
      </button>
      <div id={id} popover="auto" className={styles.panel} onBeforeToggle={place}>
        {children}
      </div>
    </>
  );
}
