// Goes from one picture of a page to the next: by buttons, arrow keys or a swipe. Only the one that is asked for is received, because
// each counts as a download of its file.
import { previewKind, type ShownFile } from '@furoshiki/transfer';
import { type PointerEvent, type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { Button } from '../../ui/button.tsx';
import { useTranslation } from '../../ui/i18n.ts';
import { canOpen } from './file-row.tsx';
import styles from './preview-dialog.module.css';
import type { ShownPage } from './use-download-page.ts';

interface Gallery {
  /** From 1. */
  position: number;
  count: number;
  /** After the last picture comes the first. */
  go(steps: 1 | -1): void;
}

/** Undefined if the file is not one of several pictures. */
export function galleryOf(page: ShownPage, file: ShownFile): Gallery | undefined {
  const pictures = page.state.files.filter((each) => previewKind(each) === 'picture' && canOpen(page, each));
  const index = pictures.findIndex(({ id }) => id === file.id);
  const count = pictures.length;
  if (index === -1 || count < 2) return undefined;
  return {
    position: index + 1,
    count,
    go(steps) {
      const next = pictures[(index + steps + count) % count];
      if (next) page.preview.open(next);
    },
  };
}

export function GalleryButtons({ gallery: { position, count, go } }: { gallery: Gallery }) {
  const { t } = useTranslation();
  return (
    <>
      <div className={styles.gallery}>
        <Button kind="quiet" onPress={() => go(-1)}>
          {t('preview.previous')}
        </Button>
        <span className="soft" role="status">
          {t('preview.position', { position, count })}
        </span>
        <Button kind="quiet" onPress={() => go(1)}>
          {t('preview.next')}
        </Button>
      </div>
      <p className={`soft ${styles.note}`}>{t('preview.eachCounts')}</p>
    </>
  );
}

/** Of the finger. A shorter or a steeper way is no swipe. */
const SWIPE_PX = 48;

/** Escape and arrow keys anywhere, and swipes on what gets the returned handlers. */
export function useGallery(
  gallery: Gallery | undefined,
  dialog: RefObject<HTMLDialogElement | null>,
  close: () => void,
) {
  const start = useRef<{ x: number; y: number }>(undefined);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape') {
      // The browser would only hide the dialog, and say so later: a file that is opened in between would be closed.
      event.preventDefault();
      close();
    }
    const steps = { ArrowLeft: -1, ArrowRight: 1 } as const;
    const step = steps[event.key as keyof typeof steps];
    const isPlain = !event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    if (step !== undefined && isPlain && dialog.current?.open) gallery?.go(step);
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    addEventListener('keydown', listener);
    return () => removeEventListener('keydown', listener);
  }, []);
  return {
    onPointerDown({ pointerType, isPrimary, clientX, clientY }: PointerEvent) {
      // A second finger zooms.
      start.current = pointerType !== 'mouse' && isPrimary ? { x: clientX, y: clientY } : undefined;
    },
    onPointerUp({ clientX, clientY }: PointerEvent) {
      const from = start.current;
      start.current = undefined;
      if (!from) return;
      const [x, y] = [clientX - from.x, clientY - from.y];
      if (Math.abs(x) >= SWIPE_PX && Math.abs(x) > 2 * Math.abs(y)) gallery?.go(x < 0 ? 1 : -1);
    },
  };
}
