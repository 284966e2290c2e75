// Measures downloads to disk through a real browser: Chromium under chromedriver and a real server.
// Arguments: some of the parts, such as costs (processor time by thread). Without: loopback, two links with limited bandwidth
// (network namespaces, as root), memory.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ACCESS_TOKEN_HEADER, parseResponse } from '@furoshiki/api';
import { derivePageSecrets, importKey, parseKey, splitKeyFromLink } from '@furoshiki/format';
import { NO_RATE_LIMITS } from '../apps/server/testing/no-rate-limits.ts';
import { ServerProcess } from '../e2e/support/server-process.ts';
import { WebDriver } from '../e2e/support/web-driver.ts';
import { compareWays } from './download-costs.ts';
import { makeFile, MB, median, nameOf, rate, ROUNDS, runParts } from './measuring.ts';
import { memoryMb } from './process-cost.ts';
import { chooseFiles, openPage, readLink, startSavingDriver, transfer } from './screens.ts';

const SELF = fileURLToPath(import.meta.url);
const SEALED_PART_BYTES = 25 * MB + 28;
/** As many as the web app uses. */
const LANES = 3;

interface Bench {
  folder: string;
  /** Chromium's folder for downloads. */
  downloads: string;
  driver: WebDriver;
  server: ServerProcess;
}

interface Sent {
  bytes: number;
  /** The share link, with the key in its fragment. */
  link: string;
}

/** Sends a file through the screens, in a separate browser, so that the measured one is not warmed up. */
async function send({ folder, server }: Bench, bytes: number): Promise<Sent> {
  const path = makeFile(folder, bytes);
  const driver = await WebDriver.start();
  // Each download of the benchmark uses up one.
  await chooseFiles(driver, server.url, [path], 100);
  await transfer(driver, 'Start upload', 'link');
  const link = await readLink(driver);
  await driver.discard();
  rmSync(path);
  return { bytes, link };
}

/** Returns the milliseconds from the click until the whole file is in the folder for downloads. */
async function download({ driver, downloads }: Bench, { bytes, link }: Sent): Promise<number> {
  await openPage(driver, link);
  const started = performance.now();
  await driver.click(`Download ${nameOf(bytes)}`);
  const isThere = () =>
    readdirSync(downloads).some((name) => name.endsWith('.bin') && statSync(join(downloads, name)).size === bytes);
  while (!isThere()) await sleep(10);
  const ms = performance.now() - started;
  await driver.untilText('Saved');
  for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
  return ms;
}

/** Downloads to a file as from a save dialog. No dialog can be automated, so a file of the private file system is used. */
async function downloadByPicker({ driver }: Bench, { bytes, link }: Sent): Promise<number> {
  await openPage(driver, link);
  await driver.run(() => {
    navigator.storage.estimate = async () => ({ quota: 0, usage: 0 });
    const picked = async () => (await navigator.storage.getDirectory()).getFileHandle('picked.bin', { create: true });
    Object.assign(globalThis, { showSaveFilePicker: picked });
  });
  const ms = await driver.runLong(async (name) => {
    // Reading the page's text would force a layout each time.
    const shown = async (label: string, isWanted: (button: HTMLButtonElement) => boolean) => {
      for (;;) {
        const button = [...document.querySelectorAll('button')].find(
          (one) => (one.ariaLabel ?? one.textContent) === label && isWanted(one),
        );
        if (button) return button;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    const button = await shown(`Download ${name}`, ({ disabled }) => !disabled);
    const started = performance.now();
    button.click();
    await shown('Saved', () => true);
    return performance.now() - started;
  }, nameOf(bytes));
  await driver.runLong(async () => (await navigator.storage.getDirectory()).removeEntry('picked.bin'));
  return ms;
}

/** Fetches the same ranges over as many lanes and discards the bytes. Returns milliseconds. */
async function bareFetches({ driver, server }: Bench, { bytes, link }: Sent): Promise<number> {
  await openPage(driver, link);
  const { id, headers } = await onlyFile(server, link);
  return driver.runLong(
    async (fileId, grantHeaders, total, partBytes, lanes) => {
      const grant = await fetch(`/api/download/${fileId}`, { headers: grantHeaders });
      const { presignedUrl } = (await grant.json()) as { presignedUrl: string };
      let next = 0;
      const lane = async () => {
        while (next < total) {
          const start = next;
          next += partBytes;
          const range = `bytes=${start}-${start + partBytes - 1}`;
          const response = await fetch(presignedUrl, { headers: { range }, cache: 'no-store', credentials: 'omit' });
          if (response.status !== 206) throw new Error(`the storage responded with ${response.status}`);
          await response.arrayBuffer();
        }
      };
      const started = performance.now();
      await Promise.all(Array.from({ length: lanes }, lane));
      return performance.now() - started;
    },
    id,
    headers,
    bytes,
    SEALED_PART_BYTES,
    LANES,
  );
}

/** The id of the only file of a page, and the headers that take a grant for it. */
async function onlyFile(
  server: ServerProcess,
  address: string,
): Promise<{ id: string; headers: Record<string, string> }> {
  const { link, keyText = '' } = splitKeyFromLink(address);
  const accept = { accept: 'application/json' };
  const response = await fetch(`${server.url}/api/download/page/${link.split('/').at(-1)}`, { headers: accept });
  const [file] = parseResponse('page', response.status, await response.json()).files;
  const key = await importKey(crypto.subtle, parseKey(keyText));
  const { accessToken } = await derivePageSecrets(crypto.subtle, key, file?.pageSalt ?? '');
  return { id: file?.id ?? '', headers: { ...accept, [ACCESS_TOKEN_HEADER]: accessToken } };
}

/** Downloads the stored bytes to a file with curl, over the same link. */
async function curl({ server, folder }: Bench, { link }: Sent): Promise<number> {
  const { id, headers } = await onlyFile(server, link);
  const grant = await fetch(`${server.url}/api/download/${id}`, { headers });
  const { presignedUrl } = parseResponse('takeGrant', grant.status, await grant.json());
  const out = join(folder, 'curl.out');
  const started = performance.now();
  await promisify(execFile)('curl', ['-sSf', '-o', out, presignedUrl]);
  const ms = performance.now() - started;
  rmSync(out);
  return ms;
}

/** Runs both sides in turns, so that other load affects both. Compares the medians. */
async function compare(
  bench: Bench,
  what: string,
  bytes: number,
  goal: number,
  ways: Record<string, typeof download>,
  reference: typeof download,
): Promise<void> {
  const sent = await send(bench, bytes);
  const theirs: number[] = [];
  const ours: Record<string, number[]> = {};
  for (const way of Object.values(ways)) await way(bench, sent); // Warm-up.
  for (let round = 0; round < ROUNDS; round += 1) {
    theirs.push(await reference(bench, sent));
    for (const [name, way] of Object.entries(ways)) (ours[name] ??= []).push(await way(bench, sent));
  }
  const other = rate(bytes, median(theirs));
  for (const [name, times] of Object.entries(ours)) {
    const mine = rate(bytes, median(times));
    console.log(
      `${`${what}, ${name}`.padEnd(44)} ${mine.toFixed(1).padStart(7)} MB/s of ${other.toFixed(1).padStart(7)} MB/s   ratio ${(mine / other).toFixed(2)} (goal ${goal})`,
    );
  }
}

/** Measures each size in a new browser, relative to the idle memory of that browser. */
async function memory(bench: Bench, sizes: number[], way = download): Promise<void> {
  for (const megabytes of sizes) {
    const sent = await send(bench, megabytes * MB);
    const driver = await startSavingDriver(bench.downloads);
    await openPage(driver, sent.link);
    await sleep(3000);
    const idle = memoryMb(driver.pid);
    let peak = idle;
    const watch = setInterval(() => (peak = Math.max(peak, memoryMb(driver.pid))), 100);
    const ms = await way({ ...bench, driver }, sent);
    clearInterval(watch);
    console.log(
      `memory, ${String(megabytes).padStart(4)} MB file: idle ${idle.toFixed(0)} MB, at most ${(peak - idle).toFixed(0)} MB above it (goal 350), ${rate(megabytes * MB, ms).toFixed(0)} MB/s`,
    );
    await driver.discard();
  }
}

const WAYS = { staged: download, dialog: downloadByPicker };

const parts: Record<string, (bench: Bench) => Promise<void>> = {
  loopback: (bench) => compare(bench, 'loopback, 1 GiB, bare fetch', 1024 * MB, 0.7, WAYS, bareFetches),
  memory: (bench) => memory(bench, [100, 1024, 6144]),
  'memory-1gb': (bench) => memory(bench, [1024]),
  costs: async (bench) => compareWays({ ...bench, ...(await send(bench, 256 * MB)) }, ROUNDS),
  // Chromium offers a site 10 GB, so the save dialog is used for a file of that size.
  'memory-10gb': (bench) => memory(bench, [10_240], downloadByPicker),
  'inside-1gbit': (bench) => compare(bench, '1 Gbit/s, 1 GiB, curl -o', 1024 * MB, 0.9, WAYS, curl),
  'inside-100mbit': (bench) => compare(bench, '100 Mbit/s, 256 MiB, curl -o', 256 * MB, 0.97, WAYS, curl),
};

async function runPart(run: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-bench-'));
  const downloads = join(folder, 'downloads');
  mkdirSync(downloads);
  const server = await ServerProcess.start(NO_RATE_LIMITS);
  const driver = await startSavingDriver(downloads);
  try {
    await run({ folder, downloads, driver, server });
  } finally {
    await driver.discard();
    await server.discard();
    rmSync(folder, { recursive: true });
  }
}

await runParts(SELF, parts, runPart);
