// What a sender and a recipient do on the screens.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Download, expect, type Page } from '@playwright/test';

export interface FileToSend {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

export interface Share {
  link: string;
  key: string;
}

/**
 * Without the dialog of the browser, which a click opens only within seconds: a busy machine may take longer.
 * choosing.spec.ts tests the button.
 */
export async function chooseFiles(page: Page, files: FileToSend[] | string[]): Promise<void> {
  const isLarge = files.some((file) => typeof file !== 'string' && file.buffer.length > MAX_PROTOCOL_BYTES);
  const input = page.locator('input[type=file]:not([webkitdirectory])');
  await input.setInputFiles(isLarge ? files.map(pathOf) : files);
}

/** Content from memory travels to the page in Base64 over the debugging protocol, which takes seconds for a large file. */
const MAX_PROTOCOL_BYTES = 1024 * 1024;
const paths = new WeakMap<Buffer, string>();

/** Writes the file to disk, once for each buffer, and returns its path. */
function pathOf(file: FileToSend | string): string {
  if (typeof file === 'string') return file;
  const known = paths.get(file.buffer);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-files-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, file.name);
  writeFileSync(path, file.buffer);
  paths.set(file.buffer, path);
  return path;
}

export async function send(page: Page, url: string, files: FileToSend[] | string[], limit?: number): Promise<Share> {
  await page.goto(`${url}/en`);
  await chooseFiles(page, files);
  if (limit !== undefined) await page.getByRole('radio', { name: String(limit), exact: true }).check({ force: true });
  await page.getByRole('button', { name: 'Start upload' }).click();
  return readShare(page);
}

export async function readShare(page: Page): Promise<Share> {
  const ready = page.getByText('Wrapped and ready');
  await expect(ready).toBeVisible();
  const link = await page.getByRole('group', { name: 'Link', exact: true }).getByRole('status').innerText();
  const key = page.getByRole('group', { name: 'Key', exact: true });
  await key.getByRole('button', { name: 'Show key' }).click();
  return { link, key: await key.getByRole('status').innerText() };
}

export async function openPage(page: Page, { link, key }: Share): Promise<void> {
  await page.goto(link);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key);
  await expect(page.getByText('The key fits.')).toBeVisible();
}

/** The settings appear only in a page that React has hydrated. */
export async function waitForHydration(page: Page): Promise<void> {
  await page.locator('header button[popovertarget]').last().click();
  await expect(page.locator('header input[type=radio]').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('header input[type=radio]').first()).toBeHidden();
}

export function downloadFile(page: Page, name: string): Promise<Download> {
  return startDownload(page, `Download ${name}`);
}

/** Clicks a button that starts a download. */
export async function startDownload(page: Page, button: string): Promise<Download> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  return downloading;
}

export async function sha256Of(download: Download): Promise<string> {
  return sha256(await readFile(await download.path()));
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function pageFiles(url: string, link: string): Promise<{ id: string; currentDownloads: number }[]> {
  const response = await fetch(`${url}/api/download/page/${link.split('/').at(-1)}`);
  if (!response.ok) return [];
  const { files } = (await response.json()) as { files: { id: string; currentDownloads: number }[] };
  return files;
}

/** Waits for the scripts that a running upload preloads, because the screens after it must work without a server. */
export async function waitForPreloadedScreens(page: Page): Promise<void> {
  for (const prefix of ['download-screen-', 'downloads-', 'sharing-view-']) await waitForLoaded(page, prefix);
}

/** Waits until a script or style whose name begins so has been loaded. */
export async function waitForLoaded(page: Page, prefix: string, end = ''): Promise<void> {
  const names = () =>
    page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1) ?? ''));
  const isThere = (name: string) => name.startsWith(prefix) && name.endsWith(end);
  await expect.poll(async () => (await names()).some(isThere)).toBe(true);
}
