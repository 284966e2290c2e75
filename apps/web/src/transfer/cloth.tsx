// A square cloth, seen from above: flat at 0, folded corner by corner over its content, tied at 1.
import { useId } from 'react';
import { PatternFill, seigaiha } from '../ui/patterns.tsx';
import styles from './cloth.module.css';

const WAVES = seigaiha(11);

/** Each corner folds over its edge of the inner square, until its tip lies on the centre. */
const CORNERS = [
  { name: 'bottom', points: '55,145 145,145 100,190', hem: '59,145 100,186 141,145' },
  { name: 'top', points: '55,55 145,55 100,10', hem: '59,55 100,14 141,55' },
  { name: 'left', points: '55,55 55,145 10,100', hem: '55,59 14,100 55,141' },
  { name: 'right', points: '145,55 145,145 190,100', hem: '145,59 186,100 145,141' },
] as const;

interface ClothProps {
  wrapped: number;
  /** Whether a sheet of paper lies on the cloth. */
  hasContent?: boolean;
  /** Draws only the middle, for a cloth that stays tied. */
  isCropped?: boolean;
}

export function Cloth({ wrapped, hasContent = true, isCropped = false }: ClothProps) {
  const waves = useId();
  const inner = useId();
  const fold = foldOf(wrapped);
  return (
    <svg
      className={styles.cloth}
      viewBox={isCropped ? '36 36 128 128' : '0 0 200 200'}
      width="160"
      height="160"
      aria-hidden="true"
    >
      <defs>
        <PatternFill id={waves} tile={WAVES} stroke="var(--cloth-thread)" strokeWidth={0.8} />
        <PatternFill id={inner} tile={WAVES} stroke="var(--cloth-outside)" strokeWidth={0.8} />
      </defs>
      <rect className={styles.inside} x="54.5" y="54.5" width="91" height="91" />
      <rect className={styles.threads} x="55" y="55" width="90" height="90" fill={`url(#${inner})`} />
      {hasContent && (
        <g className={styles.content}>
          <rect x="70" y="66" width="60" height="68" rx="4" />
          <path d="M80 82h40M80 94h40M80 106h26" />
        </g>
      )}
      {CORNERS.map(({ name, points, hem }) => (
        <g
          key={name}
          className={`${styles.corner} ${styles[name]}`}
          data-folded={fold[name] < 0 || undefined}
          style={{ transform: `${name === 'left' || name === 'right' ? 'scaleX' : 'scaleY'}(${fold[name]})` }}
        >
          <polygon points={points} />
          <polygon className={styles.threads} points={points} fill={`url(#${fold[name] < 0 ? waves : inner})`} />
          <polyline className={styles.hem} points={hem} />
        </g>
      ))}
      <g className={styles.knotEnds} style={{ transform: `scale(${fold.knot})` }}>
        <path d="M98 100C66 98 42 76 42 44c30 2 54 24 58 54Z" />
        <path d="M102 100c32-2 56-24 56-56-30 2-54 24-58 54Z" />
        <rect className={styles.knot} x="86" y="89" width="28" height="22" rx="9" />
      </g>
    </svg>
  );
}

interface Fold {
  /** 1 is flat, 0 is upright, -1 is folded over the content. */
  bottom: number;
  top: number;
  left: number;
  right: number;
  /** 0 is untied, 1 is tied. */
  knot: number;
}

/** The corners fold one after the other, then the knot is tied. */
export function foldOf(wrapped: number): Fold {
  const corner = (from: number, to: number) => 1 - 2 * ramp(wrapped, from, to);
  return {
    bottom: corner(0, 0.22),
    top: corner(0.22, 0.44),
    left: corner(0.44, 0.64),
    right: corner(0.64, 0.84),
    knot: ramp(wrapped, 0.84, 1),
  };
}

/** Rises from 0 to 1 while the value goes from `from` to `to`. */
function ramp(value: number, from: number, to: number): number {
  return Math.min(Math.max((value - from) / (to - from), 0), 1);
}
