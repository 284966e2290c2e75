// Measures the processor time of browser and server for one large file, in turns with a bare pipeline in the same browser.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NO_RATE_LIMITS } from '../../apps/server/testing/no-rate-limits.ts';
import { ServerProcess } from '../../e2e/support/server-process.ts';
import type { WebDriver } from '../../e2e/support/web-driver.ts';
import { makeFile, MB, median } from '../measuring.ts';
import { cpuSeconds, cpuSecondsBelow } from '../process-cost.ts';
import { chooseFiles, openPage, readLink, startSavingDriver, transfer } from '../screens.ts';
import { type Sink, startSink } from '../sink-process.ts';
import { bareDownload, bareUpload } from './bare-pipeline.ts';
import type { Cost, CostFigure } from './figures.ts';

const FILE_NAME = 'large.bin';
/** Memory is given back and files are closed shortly after a transfer. */
const SETTLE_MS = 1000;

interface Rig {
  driver: WebDriver;
  downloads: string;
  server: ServerProcess;
  sink: Sink;
  path: string;
  bytes: number;
}

/** Returns what the work took, per GiB. */
async function costOf({ driver, bytes }: Rig, serverPid: number, work: () => Promise<unknown>): Promise<Cost> {
  const read = () => [cpuSecondsBelow(driver.pid), cpuSeconds(serverPid)] as const;
  const [browser, server] = read();
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1000;
  await sleep(SETTLE_MS);
  const [browserAfter, serverAfter] = read();
  const gib = bytes / MB / 1024;
  return {
    seconds: seconds / gib,
    browserCpuSeconds: (browserAfter - browser) / gib,
    serverCpuSeconds: (serverAfter - server) / gib,
  };
}

/** Waits until the browser has copied the whole file, and removes it. */
async function untilSaved({ downloads, bytes }: Rig): Promise<void> {
  const isWhole = (name: string) => name.endsWith('.bin') && statSync(join(downloads, name)).size === bytes;
  while (!readdirSync(downloads).some(isWhole)) await sleep(20);
  for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
}

async function upload(rig: Rig): Promise<Cost> {
  const { driver, server, path } = rig;
  await chooseFiles(driver, server.url, [path], 100);
  return costOf(rig, server.pid, () => transfer(driver, 'Start upload', 'link'));
}

async function uploadBare(rig: Rig): Promise<Cost> {
  const { driver, sink, path } = rig;
  await driver.goto(sink.url);
  await driver.giveFiles('input[type=file]', [path]);
  return costOf(rig, sink.pid, () => bareUpload(driver));
}

async function download(rig: Rig, link: string): Promise<Cost> {
  await openPage(rig.driver, link);
  return costOf(rig, rig.server.pid, async () => {
    await transfer(rig.driver, `Download ${FILE_NAME}`, 'rows');
    await untilSaved(rig);
  });
}

async function downloadBare(rig: Rig): Promise<Cost> {
  await rig.driver.goto(rig.sink.url);
  return costOf(rig, rig.sink.pid, async () => {
    await bareDownload(rig.driver, rig.bytes);
    await untilSaved(rig);
  });
}

/** Runs both in turns, so that other load affects both. The first turn is a warm-up. Returns medians. */
async function inTurns(rounds: number, our: () => Promise<Cost>, bare: () => Promise<Cost>) {
  const turns: { ours: Cost; bare: Cost }[] = [];
  for (let round = 0; round <= rounds; round += 1) turns.push({ ours: await our(), bare: await bare() });
  const medianOf = (side: 'ours' | 'bare'): Cost => {
    const of = (field: keyof Cost) => median(turns.slice(1).map((turn) => turn[side][field]));
    return {
      seconds: of('seconds'),
      browserCpuSeconds: of('browserCpuSeconds'),
      serverCpuSeconds: of('serverCpuSeconds'),
    };
  };
  return { ours: medianOf('ours'), bare: medianOf('bare') };
}

export async function measureCosts(folder: string, megabytes: number, rounds: number): Promise<CostFigure[]> {
  const bytes = megabytes * MB;
  const path = makeFile(folder, bytes, FILE_NAME);
  const downloads = mkdtempSync(join(folder, 'downloads-'));
  const server = await ServerProcess.start(NO_RATE_LIMITS);
  const sink = await startSink();
  const driver = await startSavingDriver(downloads);
  const rig = { driver, downloads, server, sink, path, bytes };
  try {
    const up = await inTurns(
      rounds,
      () => upload(rig),
      () => uploadBare(rig),
    );
    await upload(rig);
    const link = await readLink(driver);
    const down = await inTurns(
      rounds,
      () => download(rig, link),
      () => downloadBare(rig),
    );
    return [
      { way: 'upload', megabytes, rounds, ...up },
      { way: 'download', megabytes, rounds, ...down },
    ];
  } finally {
    await driver.discard();
    sink.stop();
    await server.discard();
  }
}
