// What a sender and a recipient do on the screens.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type Download, expect, type Page } from '@playwright/test';

export interface GivenFile {
  name: string;
  mimeType: string;
  buffer: Buffer;
}

export interface HandedOver {
  link: string;
  key: string;
}

export async function chooseFiles(page: Page, files: GivenFile[] | string[]): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  // Megabytes go through the protocol of the browser, which is slow on a busy machine.
  await (await choosing).setFiles(files, { timeout: 90_000 });
}

export async function send(
  page: Page,
  url: string,
  files: GivenFile[] | string[],
  limit?: number,
): Promise<HandedOver> {
  await page.goto(`${url}/en`);
  await chooseFiles(page, files);
  if (limit !== undefined) await page.getByRole('radio', { name: String(limit), exact: true }).check({ force: true });
  await page.getByRole('button', { name: 'Start upload' }).click();
  return readHandover(page);
}

export async function readHandover(page: Page): Promise<HandedOver> {
  await expect(page.getByText('Your files are ready to be handed over.')).toBeVisible();
  const link = await page.getByRole('group', { name: 'Link', exact: true }).getByRole('status').innerText();
  const key = page.getByRole('group', { name: 'Key', exact: true });
  await key.getByRole('button', { name: 'Show key' }).click();
  return { link, key: await key.getByRole('status').innerText() };
}

export async function openPage(page: Page, { link, key }: HandedOver): Promise<void> {
  await page.goto(link);
  await page.getByRole('textbox', { name: 'Key', exact: true }).fill(key);
  await expect(page.getByText('The key fits.')).toBeVisible();
}

export function fetchFile(page: Page, name: string): Promise<Download> {
  return press(page, `Download ${name}`);
}

/** A button that begins a download. */
export async function press(page: Page, name: string): Promise<Download> {
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
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

/** Waits for the scripts that a running upload loads in advance: what follows it must work without a server. */
export async function untilLaterScreensLoaded(page: Page): Promise<void> {
  const scripts = () =>
    page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1) ?? ''));
  for (const part of ['download-screen-', 'downloads-', 'sharing-view-'])
    await expect.poll(async () => (await scripts()).some((name) => name.startsWith(part))).toBe(true);
}
