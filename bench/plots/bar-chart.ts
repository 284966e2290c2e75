// Draws a bar chart as SVG. Every bar has its value as text, and the colours follow the reader's light or dark theme.
import { escapeHtml } from '../../packages/site/src/pages.ts';

export interface BarChart {
  title: string;
  xLabel: string;
  yLabel: string;
  /** What the bars of a group are, at most three. */
  series: string[];
  groups: { label: string; values: number[] }[];
  /** A line across the chart, with a text. */
  line?: { value: number; label: string };
}

const [WIDTH, HEIGHT] = [720, 344];
const PLOT = { left: 60, right: 704, top: 96, bottom: 280 };
const TICKS = 4;
/** How much of a group's width its bars take. */
const FILL = 0.8;

/** Each colour has a contrast of at least 3 to its background. Bars are in the order of the legend, for those who see no colours. */
const STYLE = `
  .back { fill: #ffffff } text { fill: #1f2328; font: 13px system-ui, sans-serif } .title { font-size: 16px; font-weight: 600 }
  .value { font-size: 12px; text-anchor: middle; paint-order: stroke; stroke: #ffffff; stroke-width: 3px }
  .middle { text-anchor: middle } .end { text-anchor: end }
  .grid { stroke: #d1d9e0 } .line { stroke: #59636e; stroke-dasharray: 5 4 }
  .bar0 { fill: #00518a } .bar1 { fill: #d55e00 } .bar2 { fill: #2a9d78 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117 } text { fill: #f0f6fc } .grid { stroke: #3d444d } .line { stroke: #9198a1 }
    .value { stroke: #0d1117 } .bar0 { fill: #79c0ff } .bar1 { fill: #e67e22 } .bar2 { fill: #2a9d78 }
  }`;

/** Three digits are enough to compare bars. */
export function shortNumber(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value >= 10 ? 1 : 2);
}

/** Returns a step of 1, 2 or 5 times a power of ten, of which about four reach the top. */
function tickStep(max: number): number {
  const rough = max / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
}

const text = (x: number, y: number, content: string, kind = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${kind === '' ? '' : ` class="${kind}"`}>${escapeHtml(content)}</text>`;

export function drawBars(chart: BarChart): string {
  const { title, xLabel, yLabel, series, groups, line } = chart;
  const max = Math.max(line?.value ?? 0, ...groups.flatMap(({ values }) => values));
  const step = tickStep(max);
  const top = Math.ceil(max / step) * step;
  const yOf = (value: number) => PLOT.bottom - (value / top) * (PLOT.bottom - PLOT.top);
  const across = (value: number, kind: string) =>
    `<line class="${kind}" x1="${PLOT.left}" x2="${PLOT.right}" y1="${yOf(value).toFixed(1)}" y2="${yOf(value).toFixed(1)}"/>`;

  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, n) => n * step);
  const axis = ticks.flatMap((tick) => [
    across(tick, 'grid'),
    text(PLOT.left - 8, yOf(tick) + 4, String(Number(tick.toPrecision(6))), 'end'),
  ]);
  const groupWidth = (PLOT.right - PLOT.left) / groups.length;
  const barWidth = (groupWidth * FILL) / series.length;
  const bars = groups.flatMap(({ label, values }, group) => {
    const left = PLOT.left + groupWidth * (group + (1 - FILL) / 2);
    const drawn = values.flatMap((value, n) => {
      const [x, y] = [left + n * barWidth, yOf(value)];
      const size = `width="${(barWidth - 4).toFixed(1)}" height="${(PLOT.bottom - y).toFixed(1)}"`;
      return [
        `<rect class="bar${n}" x="${(x + 2).toFixed(1)}" y="${y.toFixed(1)}" ${size}/>`,
        text(x + barWidth / 2, y - 5, shortNumber(value), 'value'),
      ];
    });
    return [...drawn, text(PLOT.left + groupWidth * (group + 0.5), PLOT.bottom + 20, label, 'middle')];
  });
  const legend = series.flatMap((name, n) => [
    `<rect class="bar${n}" x="${16 + n * 200}" y="40" width="12" height="12"/>`,
    text(34 + n * 200, 51, name),
  ]);
  const reference = line ? [across(line.value, 'line'), text(PLOT.right, 51, `- - ${line.label}`, 'end')] : [];
  const summary = groups.map(
    ({ label, values }) => `${label}: ${values.map((v, n) => `${series[n]} ${shortNumber(v)}`).join(', ')}`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-labelledby="title summary">`,
    `<title id="title">${escapeHtml(title)}</title>`,
    `<desc id="summary">${escapeHtml(`${yLabel} by ${xLabel}. ${summary.join('; ')}.`)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="back" width="${WIDTH}" height="${HEIGHT}" rx="8"/>`,
    text(16, 26, title, 'title'),
    ...legend,
    text(16, 78, yLabel),
    ...axis,
    ...reference,
    ...bars,
    text((PLOT.left + PLOT.right) / 2, HEIGHT - 20, xLabel, 'middle'),
    '</svg>',
    '',
  ].join('\n');
}
