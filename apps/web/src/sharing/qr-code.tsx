// A text as a QR code: dark on white in every theme, with the margin that scanners need. Its library is loaded on first
// use, or preloaded.
import { loadOnce, useLoaded } from '../ui/lazy.tsx';
import styles from './sharing.module.css';

const MARGIN = 4;

export const loadQrLibrary = loadOnce(() => import('lean-qr'));

/** Must be rendered inside a Suspense. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { generate } = useLoaded(loadQrLibrary);
  const code = generate(text);
  const modules: string[] = [];
  for (let y = 0; y < code.size; y += 1)
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) modules.push(`M${x} ${y}h1v1h-1z`);
  const side = code.size + 2 * MARGIN;
  return (
    <svg
      className={styles.qr}
      viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path fill="#fff" d={`M${-MARGIN} ${-MARGIN}h${side}v${side}h${-side}z`} />
      <path fill="#000" d={modules.join('')} />
    </svg>
  );
}
