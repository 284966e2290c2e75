// A page without content: what was looked for is not there. Its drawing is loaded on demand.
import { type ReactNode, useId } from 'react';
import { Link } from 'wouter';
import { buttonClass } from './button.tsx';
import styles from './empty-page.module.css';
import { asanoha, PatternFill, seigaiha } from './patterns.tsx';

const WAVES = seigaiha(9);
const LEAVES = asanoha(22);

interface EmptyPageProps {
  /** Describes the drawing to screen readers. */
  picture: string;
  title: string;
  children: ReactNode;
  /** The text of the link to `homePath`. */
  linkText: string;
  homePath: string;
}

export function EmptyPage({ picture, title, children, linkText, homePath }: EmptyPageProps) {
  return (
    <div className={styles.page}>
      <Dinosaur label={picture} />
      <h1>{title}</h1>
      <p className="soft">{children}</p>
      <Link href={homePath} className={buttonClass('main')}>
        {linkText}
      </Link>
    </div>
  );
}

/** A dinosaur that carries a furoshiki bundle and searches for the way. */
function Dinosaur({ label }: { label: string }) {
  const waves = useId();
  const leaves = useId();
  return (
    <svg className={styles.dinosaur} viewBox="0 0 320 236" role="img" aria-label={label}>
      <defs>
        <PatternFill id={waves} tile={WAVES} stroke="var(--cloth-thread)" strokeWidth={0.9} />
        <PatternFill id={leaves} tile={LEAVES} stroke="var(--shu)" strokeWidth={0.7} />
      </defs>
      <circle className={styles.sun} cx="252" cy="78" r="62" />
      <circle className={styles.leaves} cx="252" cy="78" r="62" fill={`url(#${leaves})`} />
      <path className={styles.ground} d="M14 219h92m84 0h116M40 228h38m148 0h44" />
      <g className={styles.skin}>
        <path d="M160 178c-3 16-2 28 2 40h25c2-7-4-10-9-11-1-8 3-18 8-27Z" />
        <path d="M18 136c22 30 54 44 90 46 16 24 66 26 84 2 14-19 17-42 14-64 18 1 38-1 54-8 16-8 18-27 5-36-13-8-26-11-38-18-16-18-48-17-57 6-6 17-4 30-16 42-16 15-44 17-66 34-22 15-48 12-70-4Z" />
        <path className={styles.belly} d="M205 122c3 22 0 44-13 62-12 16-38 20-58 14 32-6 54-36 60-74Z" />
        <path d="M112 178c-8 16-7 28-3 40h27c2-7-4-10-10-11-1-7 3-13 9-21Z" />
        <path className={styles.arm} d="M186 142c10 0 21 4 25 11-3 5-9 5-13 2-5-3-12-4-18-3" />
      </g>
      <g className={styles.cloth}>
        <path d="M104 74C92 66 86 52 92 40c12 4 19 16 19 30Z" />
        <path className={styles.fold} d="M112 72c2-15 11-26 24-28 3 13-6 26-18 32Z" />
        <path d="M74 110c0-24 18-40 38-40s44 10 46 34c0 16-16 18-40 24-22 5-44 2-44-18Z" />
        <path
          className={styles.threads}
          d="M74 110c0-24 18-40 38-40s44 10 46 34c0 16-16 18-40 24-22 5-44 2-44-18Z"
          fill={`url(#${waves})`}
        />
        <path className={styles.strap} d="M150 90c18-4 40 8 52 32" />
        <path className={styles.band} d="M150 90c18-4 40 8 52 32" />
        <path className={styles.fold} d="M204 122c8-2 15 2 17 9-7 3-14 0-18-6Z" />
        <path className={styles.fold} d="M202 124c1 8-3 15-10 17-3-7 1-14 7-18Z" />
      </g>
      <circle className={styles.knot} cx="202" cy="122" r="6.5" />
      <circle className={styles.knot} cx="111" cy="72" r="7.5" />
      <g className={styles.face}>
        <circle cx="224" cy="79" r="4" />
        <circle className={styles.glint} cx="225.5" cy="77.5" r="1.3" />
        <path d="M268 98c-12 8-30 9-44 4M262 86v.01M215 68c4-4 9-5 14-3" />
        <ellipse className={styles.blush} cx="222" cy="93" rx="6" ry="3.5" />
      </g>
      <path className={styles.question} d="M284 38c1-7 8-11 15-8s8 12 2 16c-4 3-6 5-6 9m0 8v.01" />
    </svg>
  );
}
