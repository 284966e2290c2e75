// Writes the figures of bench/many into docs/PERFORMANCE.md, as tables, and into docs/performance, as charts.
// Argument: the JSON file that `npm run bench:many -- --json` wrote.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../scripts/paths.mjs';
import type { Figures } from './many/figures.ts';
import { drawBars } from './plots/bar-chart.ts';
import { type Section, sectionsOf } from './plots/sections.ts';

const BEGIN = '<!-- figures: written by `npm run bench:plots` from the JSON of `npm run bench:many` -->';
const END = '<!-- end of figures -->';
const PAGE = join(ROOT, 'docs', 'PERFORMANCE.md');
const CHARTS = join(ROOT, 'docs', 'performance');

const sectionText = ({ heading, lead, table, chart, chartFile }: Section) =>
  `### ${heading}\n\n${lead}\n\n${table}\n\n![${chart.title}: bar chart of the table above](performance/${chartFile})\n`;

function withFigures(page: string, { date, cores, load, isQuick }: Figures, sections: Section[]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('docs/PERFORMANCE.md has lost the two comments around its figures');
  const quick = isQuick ? ' **This was a quick run: its figures mean little.**' : '';
  const about = `Measured on ${date} with ${cores} cores; the load average was ${load.toFixed(1)} before the run.${quick}\n`;
  const text = [about, ...sections.map(sectionText)].join('\n');
  return `${page.slice(0, begin)}${BEGIN}\n\n${text}\n${page.slice(end)}`;
}

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error('which JSON file? npm run bench:many -- --json FILE writes one');
const figures = JSON.parse(readFileSync(path, 'utf8')) as Figures;
const sections = sectionsOf(figures);
writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), figures, sections));
rmSync(CHARTS, { recursive: true, force: true });
mkdirSync(CHARTS);
for (const { chart, chartFile } of sections) writeFileSync(join(CHARTS, chartFile), drawBars(chart));
