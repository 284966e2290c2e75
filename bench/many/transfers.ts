// Sends and fetches files through the screens, over a link with latency, and measures time and the page's main thread.
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { NO_RATE_LIMITS } from '../../apps/server/testing/no-rate-limits.ts';
import { ServerProcess } from '../../e2e/support/server-process.ts';
import type { WebDriver } from '../../e2e/support/web-driver.ts';
import { makeFile, median } from '../measuring.ts';
import { chooseFiles, emptyFolder, openPage, readLink, startSavingDriver, transfer } from '../screens.ts';
import { startSlowLink } from '../slow-link.ts';
import type { CountFigure, LinkFigure, Transfer, Way } from './figures.ts';

/** The most that a sender may allow. */
const DOWNLOAD_LIMIT = 100;

interface Rig {
  driver: WebDriver;
  downloads: string;
  /** The server's address, over the link. */
  url: string;
}

type Results = Record<Way, Transfer>;

/** Gives the work a new server, a new browser and a new link. */
async function withRig<Result>(folder: string, roundTripMs: number, work: (rig: Rig) => Promise<Result>) {
  const downloads = mkdtempSync(join(folder, 'downloads-'));
  const server = await ServerProcess.start(NO_RATE_LIMITS);
  const driver = await startSavingDriver(downloads);
  const link = await startSlowLink(server.port, roundTripMs);
  try {
    return await work({ driver, downloads, url: link.url });
  } finally {
    await driver.discard();
    link.close();
    await server.discard();
    rmSync(downloads, { recursive: true });
  }
}

async function measure(
  driver: WebDriver,
  ...action: [button: string, end: 'link' | 'rows' | 'zip']
): Promise<Transfer> {
  const before = await driver.mainThreadSeconds();
  const { ms } = await transfer(driver, ...action);
  return { seconds: ms / 1000, mainThreadSeconds: (await driver.mainThreadSeconds()) - before };
}

async function upload({ driver, url }: Rig, paths: string[]): Promise<Transfer & { link: string }> {
  await chooseFiles(driver, url, paths, DOWNLOAD_LIMIT);
  const measured = await measure(driver, 'Start upload', 'link');
  const link = await readLink(driver);
  if (!link.startsWith(url)) throw new Error(`${link} does not lead over the link with latency`);
  return { ...measured, link };
}

async function fetchMany(rig: Rig, link: string, count: number): Promise<Record<'single files' | 'ZIP', Transfer>> {
  const { driver, downloads } = rig;
  await openPage(driver, link);
  const singleFiles = await measure(driver, 'Download all', 'rows');
  await emptyFolder(downloads, count);
  await openPage(driver, link);
  const zip = await measure(driver, 'Download all as one ZIP', 'zip');
  await emptyFolder(downloads, 1);
  return { 'single files': singleFiles, ZIP: zip };
}

async function fetchOne({ driver, downloads }: Rig, link: string, name: string): Promise<Transfer> {
  await openPage(driver, link);
  const measured = await measure(driver, `Download ${name}`, 'rows');
  await emptyFolder(downloads, 1);
  return measured;
}

async function many(rig: Rig, paths: string[]): Promise<Results> {
  const { link, ...sent } = await upload(rig, paths);
  return { upload: sent, ...(await fetchMany(rig, link, paths.length)) };
}

/** Returns medians: a single small file takes so little time that any other work on the machine shows. */
async function one(rig: Rig, path: string, name: string, rounds: number): Promise<Results> {
  const [ups, downs]: [Transfer[], Transfer[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const { link, ...sent } = await upload(rig, [path]);
    ups.push(sent);
    downs.push(await fetchOne(rig, link, name));
  }
  const down = medianOf(downs);
  return { upload: medianOf(ups), 'single files': down, ZIP: down };
}

const medianOf = (transfers: Transfer[]): Transfer => ({
  seconds: median(transfers.map(({ seconds }) => seconds)),
  mainThreadSeconds: median(transfers.map(({ mainThreadSeconds }) => mainThreadSeconds)),
});

function makeFiles(folder: string, count: number, fileKb: number): string[] {
  const place = mkdtempSync(join(folder, 'files-'));
  return Array.from({ length: count }, (_, index) => makeFile(place, fileKb * 1024, `photo ${index + 1}.jpg`));
}

const WAYS: Way[] = ['upload', 'single files', 'ZIP'];

export async function measureLink(
  folder: string,
  { count, fileKb, roundTripMs, rounds }: { count: number; fileKb: number; roundTripMs: number; rounds: number },
): Promise<LinkFigure[]> {
  const paths = makeFiles(folder, count, fileKb);
  const name = 'one.bin';
  const whole = makeFile(folder, count * fileKb * 1024, name);
  return withRig(folder, roundTripMs, async (rig) => {
    const ofOne = await one(rig, whole, name, rounds);
    const ofMany = await many(rig, paths);
    return WAYS.map((way) => ({ count, fileKb, roundTripMs, way, many: ofMany[way], one: ofOne[way] }));
  });
}

/** Returns medians. */
export async function measureCount(
  folder: string,
  { count, fileKb, rounds }: { count: number; fileKb: number; rounds: number },
): Promise<CountFigure[]> {
  const paths = makeFiles(folder, count, fileKb);
  return withRig(folder, 0, async (rig) => {
    const runs: Results[] = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await many(rig, paths));
    return WAYS.map((way) => ({ count, fileKb, way, ...medianOf(runs.map((run) => run[way])) }));
  });
}
