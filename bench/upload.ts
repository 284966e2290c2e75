// Measures uploads from a real browser: Chromium under chromedriver, a file on disk, a real server.
// Arguments: some of the parts. Without: loopback, two links with limited bandwidth (network namespaces, as root), memory.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NO_RATE_LIMITS } from '../apps/server/testing/no-rate-limits.ts';
import { ServerProcess } from '../e2e/support/server-process.ts';
import { WebDriver } from '../e2e/support/web-driver.ts';
import { makeFile, MB, median, rate, ROUNDS, runParts } from './measuring.ts';
import { memoryMb } from './process-cost.ts';
import { chooseFiles, type Timed, transfer } from './screens.ts';
import { startSink } from './sink-process.ts';

/** As many as the web app uses for parts of 25 MB. */
const LANES = 5;
const SELF = fileURLToPath(import.meta.url);

interface Bench {
  folder: string;
  driver: WebDriver;
  server: ServerProcess;
  sinkUrl: string;
}

/** Runs an upload from the click to the link: reading, sealing, sending, verifying, completing, grouping. */
async function upload({ driver, server }: Bench, path: string): Promise<Timed> {
  await chooseFiles(driver, server.url, [path]);
  return transfer(driver, 'Start upload', 'link');
}

/** Sends as many bytes over as many lanes, from memory, by XHR. Returns milliseconds. */
async function barePuts({ driver, sinkUrl }: Bench, bytes: number): Promise<number> {
  await driver.goto(sinkUrl);
  return driver.runLong(
    async (total, partBytes, lanes) => {
      const part = new Uint8Array(partBytes);
      let remaining = Math.ceil(total / partBytes);
      const put = () =>
        new Promise((resolve, reject) => {
          const request = new XMLHttpRequest();
          request.open('PUT', '/part');
          request.addEventListener('load', resolve);
          request.addEventListener('error', reject);
          request.send(part);
        });
      const started = performance.now();
      const lane = async () => {
        while (remaining > 0) {
          remaining -= 1;
          await put();
        }
      };
      await Promise.all(Array.from({ length: lanes }, lane));
      return performance.now() - started;
    },
    bytes,
    25 * MB + 28,
    LANES,
  );
}

async function curl({ sinkUrl }: Bench, path: string): Promise<number> {
  const started = performance.now();
  await promisify(execFile)('curl', ['-sSf', '-o', '/dev/null', '-T', path, `${sinkUrl}/file`]);
  return performance.now() - started;
}

/** Runs both sides in turns, so that other load affects both. Compares the medians. */
async function compare(
  bench: Bench,
  what: string,
  bytes: number,
  goal: number,
  reference: (path: string) => Promise<number>,
): Promise<void> {
  const path = makeFile(bench.folder, bytes);
  const [ours, theirs]: [number[], number[]] = [[], []];
  let longest = 0;
  await upload(bench, path); // Warm-up: the server's code, the page cache, the browser's disk cache.
  for (let round = 0; round < ROUNDS; round += 1) {
    theirs.push(await reference(path));
    const { ms, longTaskMs } = await upload(bench, path);
    ours.push(ms);
    longest = Math.max(longest, ...longTaskMs);
  }
  const [mine, other] = [rate(bytes, median(ours)), rate(bytes, median(theirs))];
  console.log(
    `${what.padEnd(34)} ${mine.toFixed(1).padStart(7)} MB/s of ${other.toFixed(1).padStart(7)} MB/s   ratio ${(mine / other).toFixed(2)} (goal ${goal})   longest task of the page ${longest.toFixed(0)} ms`,
  );
  rmSync(path);
}

/** Measures each size in a new browser, relative to the idle memory of that browser. */
async function memory(bench: Bench): Promise<void> {
  for (const megabytes of [100, 1024, 4096]) {
    const path = makeFile(bench.folder, megabytes * MB);
    const driver = await WebDriver.start();
    await upload({ ...bench, driver }, makeFile(bench.folder, MB));
    const idle = memoryMb(driver.pid);
    let peak = idle;
    const watch = setInterval(() => (peak = Math.max(peak, memoryMb(driver.pid))), 100);
    const { ms } = await upload({ ...bench, driver }, path);
    clearInterval(watch);
    console.log(
      `memory, ${String(megabytes).padStart(4)} MB file: idle ${idle.toFixed(0)} MB, at most ${(peak - idle).toFixed(0)} MB above it (goal 350), ${rate(megabytes * MB, ms).toFixed(0)} MB/s`,
    );
    await driver.discard();
    rmSync(path);
  }
}

const parts: Record<string, (bench: Bench) => Promise<void>> = {
  loopback: (bench) =>
    compare(bench, 'loopback, 1 GiB, bare XHR PUT', 1024 * MB, 0.7, () => barePuts(bench, 1024 * MB)),
  memory,
  'inside-1gbit': (bench) => compare(bench, '1 Gbit/s, 1 GiB, curl -T', 1024 * MB, 0.9, (path) => curl(bench, path)),
  'inside-100mbit': (bench) =>
    compare(bench, '100 Mbit/s, 256 MiB, curl -T', 256 * MB, 0.97, (path) => curl(bench, path)),
};

async function runPart(run: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-bench-'));
  const server = await ServerProcess.start(NO_RATE_LIMITS);
  const sink = await startSink();
  const driver = await WebDriver.start();
  try {
    await run({ folder, driver, server, sinkUrl: sink.url });
  } finally {
    await driver.discard();
    sink.stop();
    await server.discard();
    rmSync(folder, { recursive: true });
  }
}

await runParts(SELF, parts, runPart);
