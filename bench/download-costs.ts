// The processor time of a download by thread, for each way of saving it, in turns with the bare pipeline.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WebDriver } from '../e2e/support/web-driver.ts';
import { bareDownload } from './many/bare-pipeline.ts';
import { MB, median, nameOf } from './measuring.ts';
import { openPage, transfer } from './screens.ts';
import { startSink } from './sink-process.ts';
import { type ThreadCosts, threadCosts } from './thread-cost.ts';

/** Memory is given back and files are closed shortly after a transfer. */
const SETTLE_MS = 1000;
/** Threads that take less, per GiB, are left out of the table. */
const SHOWN_SECONDS = 0.2;

interface Turn {
  costs: ThreadCosts;
  seconds: number;
  /** Until the browser's own list has the file: it has a name in the folder for downloads. */
  listedSeconds: number;
  mainSeconds: number;
}

interface Rig {
  driver: WebDriver;
  downloads: string;
  bytes: number;
  link: string;
}

/** What makes the page take this way. Runs in the page. */
const PREPARATIONS: Record<string, () => void> = {
  staged: () => undefined,
  dialog: () => {
    navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
    const picked = async () => (await navigator.storage.getDirectory()).getFileHandle('picked.bin', { create: true });
    Object.assign(globalThis, { showSaveFilePicker: picked });
  },
  stream: () => {
    navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
    Reflect.deleteProperty(globalThis, 'showSaveFilePicker');
  },
  memory: () => {
    navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
    Reflect.deleteProperty(globalThis, 'showSaveFilePicker');
    Reflect.deleteProperty(Navigator.prototype, 'serviceWorker');
  },
};

async function measure(
  { driver, downloads, bytes }: Rig,
  hasDialog: boolean,
  work: () => Promise<unknown>,
): Promise<Turn> {
  const isWhole = (name: string) => name.endsWith('.bin') && statSync(join(downloads, name)).size === bytes;
  let seconds = 0;
  let listedSeconds = 0;
  let mainSeconds = 0;
  const costs = await threadCosts(driver.pid, async () => {
    const startedMs = performance.now();
    const passed = () => (performance.now() - startedMs) / 1000;
    const watch = setInterval(() => {
      if (listedSeconds === 0 && readdirSync(downloads).length > 0) listedSeconds = passed();
    }, 20);
    const mainBefore = await driver.mainThreadSeconds();
    await work();
    // A dialog is not a download of the browser: its file is complete when the page says so.
    const isSaved = () => hasDialog || readdirSync(downloads).some(isWhole);
    while (!isSaved()) await sleep(20);
    clearInterval(watch);
    seconds = passed();
    mainSeconds = (await driver.mainThreadSeconds()) - mainBefore;
    await sleep(SETTLE_MS);
  });
  for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
  return { costs, seconds, listedSeconds, mainSeconds };
}

/** Prints a table for each way. The first turn is a warm-up. */
export async function compareWays(rig: Rig, rounds: number): Promise<void> {
  const { driver, bytes, link } = rig;
  const sink = await startSink();
  const turns = new Map<string, Turn[]>();
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (const [way, prepare] of Object.entries(PREPARATIONS)) {
        await openPage(driver, link);
        await driver.run(prepare);
        const turn = await measure(rig, way === 'dialog', () => transfer(driver, `Download ${nameOf(bytes)}`, 'rows'));
        if (round > 0) turns.set(way, [...(turns.get(way) ?? []), turn]);
      }
      await driver.goto(sink.url);
      const bare = await measure(rig, false, () => bareDownload(driver, bytes));
      if (round > 0) turns.set('bare', [...(turns.get('bare') ?? []), bare]);
    }
  } finally {
    sink.stop();
  }
  const perGib = (1024 * MB) / bytes;
  const bareTurns = turns.get('bare') ?? [];
  for (const [way, ofWay] of turns) {
    const ratios = ofWay.map(({ costs }, round) => total(costs) / total(bareTurns[round]?.costs ?? {}));
    const middle = (of: (turn: Turn) => number) => median(ofWay.map(of));
    console.log(
      `\n${way}: ${(middle(({ costs }) => total(costs)) * perGib).toFixed(1)} s of processor time per GiB, ${median(ratios).toFixed(2)} of bare; ` +
        `${(middle(({ seconds }) => seconds) * perGib).toFixed(0)} s per GiB, in the browser's list after ${middle(({ listedSeconds }) => listedSeconds).toFixed(1)} s; ` +
        `main thread ${(middle(({ mainSeconds, seconds }) => mainSeconds / seconds) * 100).toFixed(0)} %`,
    );
    const threads = new Set(ofWay.flatMap(({ costs }) => Object.keys(costs)));
    const rows = [...threads].map((name) => ({ name, cost: middle(({ costs }) => costs[name] ?? 0) * perGib }));
    for (const { name, cost } of rows.filter((row) => row.cost >= SHOWN_SECONDS).toSorted((a, b) => b.cost - a.cost))
      console.log(`${cost.toFixed(1).padStart(7)} s  ${name}`);
  }
}

const total = (costs: ThreadCosts) => Object.values(costs).reduce((sum, seconds) => sum + seconds, 0);
