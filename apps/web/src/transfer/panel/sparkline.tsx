// A small line chart without axes.
import styles from './transfer-panel.module.css';

const WIDTH = 96;
const HEIGHT = 24;

export function Sparkline({ values, length }: { values: readonly number[]; length: number }) {
  const highest = Math.max(...values, 1);
  const step = WIDTH / (length - 1);
  // The latest value is always at the right edge.
  const points = values.map((value, index) => {
    const x = WIDTH - (values.length - 1 - index) * step;
    return `${x.toFixed(1)},${(HEIGHT - 1.5 - (value / highest) * (HEIGHT - 3)).toFixed(1)}`;
  });
  return (
    <svg className={styles.sparkline} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {points.length > 1 && <polyline points={points.join(' ')} />}
    </svg>
  );
}
