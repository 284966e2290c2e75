// A button that opens a panel below it. The native popover closes on Escape and on a press outside, and restores the
// focus. ADR 15 explains why it is not React Aria's.
import { type ReactNode, type ToggleEvent, useId, useRef } from 'react';
import { buttonClass } from './button.tsx';
import styles from './popover.module.css';

const GAP_PX = 8;

interface PopoverProps {
  /** The content of the button. If it has no text, `label` names the button. */
  trigger: ReactNode;
  label?: string;
  /** The edge at which panel and button are aligned. */
  align: 'start' | 'end';
  children: ReactNode;
}

export function Popover({ trigger, label, align, children }: PopoverProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);

  /** Uses page coordinates, so that the panel scrolls with its button. */
  function setPosition({ currentTarget: panel, newState }: ToggleEvent<HTMLDivElement>): void {
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
      <div id={id} popover="auto" className={styles.panel} onBeforeToggle={setPosition}>
        {children}
      </div>
    </>
  );
}
