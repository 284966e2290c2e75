// Files that another app shares with the installed app, as the system of a phone sends them: as a form.
import type { Page } from '@playwright/test';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';
import { downloadFile, openPage, readShare } from '../support/user-actions.ts';
import { readFile } from 'node:fs/promises';

const TEXT = 'a picture from the gallery';
const LOST = 'The files you shared didn’t arrive here.';
const filesToSend = (page: Page) => page.getByRole('list', { name: 'Files to send' });

async function share(page: Page, files: { name: string; text: string }[]): Promise<void> {
  await page.evaluate((shared) => {
    const data = new DataTransfer();
    for (const { name, text } of shared) data.items.add(new File([text], name, { type: 'image/jpeg' }));
    const form = document.body.appendChild(document.createElement('form'));
    Object.assign(form, { action: 'shared', method: 'post', enctype: 'multipart/form-data' });
    const input = form.appendChild(document.createElement('input'));
    Object.assign(input, { type: 'file', name: 'files', multiple: true, files: data.files });
    form.submit();
  }, files);
}

async function waitForServiceWorker(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { serviceWorker } = navigator;
    if (!serviceWorker.controller)
      await new Promise((resolve) => {
        serviceWorker.addEventListener('controllerchange', resolve, { once: true });
      });
  });
}

test('the manifest offers the app to others that share files', async ({ page, server }) => {
  await page.goto(`${server.url}/de`);
  const address = await page.locator('link[rel=manifest]').getAttribute('href');
  const manifestUrl = new URL(address ?? '', `${server.url}/`);
  const manifest = (await (await fetch(manifestUrl)).json()) as { share_target: { action: string } };
  expect(manifest.share_target).toMatchObject({ method: 'POST', enctype: 'multipart/form-data' });
  expect(new URL(manifest.share_target.action, manifestUrl).href).toBe(`${server.url}/shared`);
});

test('shared files are chosen on home, never reach the server in clear, and can be sent', async ({ page }) => {
  const server = await ServerProcess.start({ LOG_LEVEL: 'info' });
  await page.goto(`${server.url}/en`);
  await waitForServiceWorker(page);
  await share(page, [
    { name: 'beach.jpg', text: TEXT },
    { name: 'empty.jpg', text: '' },
  ]);
  await expect(filesToSend(page)).toContainText('beach.jpg');
  await expect(page.getByText('empty.jpg: this file is empty')).toBeVisible();
  await expect(page).toHaveURL(`${server.url}/en`);
  await page.getByRole('button', { name: 'Start upload' }).click();
  const sent = await readShare(page);
  expect(server.log).toContain('/api/upload/init');
  expect(server.log).not.toContain('/shared');
  // A new start has no files. It asks, because the key was not copied.
  page.once('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Send more files' }).click();
  await expect(page.getByText('Lay your files on the cloth')).toBeVisible();
  await openPage(page, sent);
  const saved = await downloadFile(page, 'beach.jpg');
  expect(await readFile(await saved.path(), 'utf8')).toBe(TEXT);
  await server.discard();
});

test('shared files arrive without a network', async ({ page, context, server }) => {
  await page.goto(`${server.url}/en`);
  await waitForServiceWorker(page);
  await page.evaluate(async () => {
    while ((await (await caches.open('kept-pages /')).match('offline/en.json')) === undefined)
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await context.setOffline(true);
  await share(page, [{ name: 'beach.jpg', text: TEXT }]);
  await expect(page.getByText('You’re offline.')).toBeVisible();
  await context.setOffline(false);
  await expect(filesToSend(page)).toContainText('beach.jpg');
});

test('files that were taken before are said to be lost', async ({ page, server }) => {
  await page.goto(`${server.url}/en`);
  await waitForServiceWorker(page);
  await page.goto(`${server.url}/#shared=${crypto.randomUUID()}`);
  await expect(page.getByText(LOST)).toBeVisible();
  await page.reload();
  await expect(page.getByText('Lay your files on the cloth')).toBeVisible();
  await expect(page.getByText(LOST)).toBeHidden();
});

test.describe('in a browser that has lost the service worker', () => {
  test.use({ serviceWorkers: 'block' });

  test('shared files are said to be lost', async ({ page, server }) => {
    await page.goto(`${server.url}/en`);
    await share(page, [{ name: 'beach.jpg', text: TEXT }]);
    await expect(page.getByText(LOST)).toBeVisible();
  });
});
