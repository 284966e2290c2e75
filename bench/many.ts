// Measures many small files against one file of the same total size, through the screens of a real browser, over links with
// 0, 20 and 100 ms of latency. Arguments: the number of files and their size in KB. Without: 200 files of 28 KB.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type CDPSession, chromium, type Page } from 'playwright';
import { NO_RATE_LIMITS } from '../apps/server/testing/no-rate-limits.ts';
import { ServerProcess } from '../e2e/support/server-process.ts';
import { CHROMIUM_ARGS, findHeadlessChromium } from '../scripts/ensure-chromium.mjs';
import { makeFile } from './measuring.ts';
import { startSlowLink } from './slow-link.ts';

const [count = 200, kilobytes = 28] = process.argv.slice(2).map(Number);
const ROUND_TRIPS_MS = [0, 20, 100];
/** A thousand files over a slow link take minutes. */
const TIMEOUT_MS = 900_000;

interface Measured {
  seconds: number;
  /** How long the page's own thread was busy. */
  busySeconds: number;
}

interface Share {
  link: string;
  key: string;
}

const folder = mkdtempSync(join(tmpdir(), 'furoshiki-many-'));
const manyPaths = Array.from({ length: count }, (_, index) => {
  const place = join(folder, String(index));
  mkdirSync(place);
  return makeFile(place, kilobytes * 1024);
});
const onePath = makeFile(folder, count * kilobytes * 1024);

async function busySeconds(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

async function measure(page: Page, work: () => Promise<unknown>): Promise<Measured> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  const [startedMs, busyBefore] = [performance.now(), await busySeconds(cdp)];
  await work();
  const seconds = (performance.now() - startedMs) / 1000;
  return { seconds, busySeconds: (await busySeconds(cdp)) - busyBefore };
}

async function upload(context: BrowserContext, url: string, paths: string[]): Promise<Measured & Share> {
  const page = await context.newPage();
  await page.goto(`${url}/en`);
  await page.locator('input[type=file]').first().setInputFiles(paths);
  await page.getByText('Total:').waitFor();
  const measured = await measure(page, async () => {
    await page.getByRole('button', { name: 'Start upload' }).click();
    await page.getByText('Your files are ready').waitFor({ timeout: TIMEOUT_MS });
  });
  await page.getByRole('button', { name: 'Show key' }).click();
  const outputs = await page.locator('output').allInnerTexts();
  await page.close();
  return { ...measured, link: outputs[0] ?? '', key: outputs[1] ?? '' };
}

/** Clicks the button and waits until the browser has the file. */
async function download(context: BrowserContext, { link, key }: Share, button: RegExp): Promise<Measured> {
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key);
  await page.getByText('The key fits.').waitFor();
  const measured = await measure(page, async () => {
    const downloading = page.waitForEvent('download', { timeout: TIMEOUT_MS });
    await page.getByRole('button', { name: button }).first().click();
    await (await downloading).path();
  });
  await page.close();
  return measured;
}

function print(what: string, many: Measured, one: Measured): void {
  const perFile = (many.seconds / count) * 1000;
  const busy = (many.busySeconds / many.seconds) * 100;
  console.log(
    `${what.padEnd(24)} ${many.seconds.toFixed(1).padStart(7)} s ${perFile.toFixed(0).padStart(6)} ms ` +
      `${(many.seconds / one.seconds).toFixed(1).padStart(8)} ${busy.toFixed(0).padStart(8)} %`,
  );
}

const server = await ServerProcess.start(NO_RATE_LIMITS);
const executablePath = findHeadlessChromium() ?? '';
const browser = await chromium.launch({ executablePath, args: CHROMIUM_ARGS });
console.log(`${count} files of ${kilobytes} KB       total  per file   of one  page busy`);
for (const roundTripMs of ROUND_TRIPS_MS) {
  const link = await startSlowLink(server.port, roundTripMs);
  const context = await browser.newContext();
  const one = await upload(context, link.url, [onePath]);
  const many = await upload(context, link.url, manyPaths);
  print(`upload, ${roundTripMs} ms`, many, one);
  print(`ZIP, ${roundTripMs} ms`, await download(context, many, /zip/iu), await download(context, one, /^Download/u));
  await context.close();
  link.close();
}
await browser.close();
await server.discard();
rmSync(folder, { recursive: true });
