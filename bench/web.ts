// Rates home, a download page and the FAQ with Lighthouse's mobile profile, from this machine's build.
import lighthouse from 'lighthouse';
import { chromium } from 'playwright';
import { freePort } from '../apps/server/testing/process.ts';
import { send } from '../e2e/support/user-actions.ts';
import { ServerProcess } from '../e2e/support/server-process.ts';
import { ensureBuilt } from '../scripts/ensure-built.mjs';
import { CHROMIUM_ARGS, findChromium } from '../scripts/ensure-programs.mjs';

/** As Lighthouse advises: the score of one run varies, the median of three hardly does. */
const RUNS = 3;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
type Scores = Record<(typeof CATEGORIES)[number], number>;

/** The parts of the performance score. The last one depends on the processor. */
const METRICS = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'cumulative-layout-shift',
  'total-blocking-time',
] as const;

interface Run {
  scores: Scores;
  metrics: number[];
  /** Lighthouse's benchmark of the machine. Lighthouse slows the machine down to a quarter to simulate a phone, which fits
   * from about 1,500 on. A lower value means that other work is running, whose blocking is counted as the page's. */
  machine: number;
}

/** The goals. Download pages exclude search engines, which Lighthouse counts against them. */
const GOALS: Record<string, Partial<Scores>> = {
  home: { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 },
  faq: { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 },
  download: { performance: 95, accessibility: 100, 'best-practices': 100 },
};

ensureBuilt();
const executablePath = findChromium();
if (!executablePath) throw new Error('no Chromium found; install it or set CHROMIUM_PATH');
const server = await ServerProcess.start();
const port = await freePort();
const browser = await chromium.launch({ executablePath, args: [...CHROMIUM_ARGS, `--remote-debugging-port=${port}`] });
const note = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };
const sender = await browser.newPage();
const { link } = await send(sender, server.url, [note]);
await sender.close();

const addresses = { home: `${server.url}/en`, faq: `${server.url}/en/faq`, download: link };
let isGood = true;
for (const [name, url] of Object.entries(addresses)) {
  const runs: Run[] = [];
  for (let run = 0; run < RUNS; run += 1) runs.push(await audit(url));
  const scores = CATEGORIES.map((category) => [category, median(runs.map((run) => run.scores[category]))] as const);
  const missed = scores.filter(([category, score]) => score < (GOALS[name]?.[category] ?? 0));
  if (missed.length > 0) isGood = false;
  const summary = scores.map(([category, score]) => `${category} ${score}`).join(', ');
  console.log(
    `${name}: ${summary}${missed.length > 0 ? ` — missed: ${missed.map(([category]) => category).join(', ')}` : ''}`,
  );
  const metrics = METRICS.map((metric, n) => `${metric} ${round(median(runs.map((run) => run.metrics[n] ?? 0)))}`);
  console.log(`  ${metrics.join(', ')}; machine ${Math.round(median(runs.map((run) => run.machine)))}`);
}
await browser.close();
await server.discard();
process.exitCode = isGood ? 0 : 1;

async function audit(url: string): Promise<Run> {
  const result = await lighthouse(url, { port, onlyCategories: [...CATEGORIES], logLevel: 'error' });
  if (!result) throw new Error(`Lighthouse has no result for ${url}`);
  const { categories, audits, environment } = result.lhr;
  const score = (category: string) => Math.round((categories[category]?.score ?? 0) * 100);
  return {
    scores: Object.fromEntries(CATEGORIES.map((category) => [category, score(category)])) as Scores,
    metrics: METRICS.map((metric) => audits[metric]?.numericValue ?? 0),
    machine: environment.benchmarkIndex,
  };
}

/** Rounds milliseconds to integers, and layout shifts to three digits. */
function round(value: number): number {
  return value < 1 ? Number(value.toFixed(3)) : Math.round(value);
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
