// The browser APIs that main.tsx connects to the screens: clipboard, share dialog, notifications, wake lock, and files
// dropped outside a drop zone. The component tests of the web app check what the screens do with them.
import { holdBytes } from '../support/held-requests.ts';
import { downloadFile, type FileToSend, openPage, send } from '../support/user-actions.ts';
import { expect, test } from '../support/test.ts';

const NOTE: FileToSend = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

interface ApiCalls {
  copied: string[];
  shared: unknown[];
  notified: string[];
  awake: string[];
}

test('the screens call the clipboard, the share dialog, notifications and the wake lock', async ({ page, server }) => {
  await page.addInitScript(() => {
    const apiCalls: ApiCalls = { copied: [], shared: [], notified: [], awake: [] };
    Object.assign(globalThis, { apiCalls });
    // The permissions policy forbids reading the clipboard, also in a test.
    Object.assign(navigator.clipboard, { writeText: async (text: string) => void apiCalls.copied.push(text) });
    Object.assign(navigator, { share: async (data: unknown) => void apiCalls.shared.push(data) });
    // A headless browser allows and shows no notification, so the test allows it and checks the call.
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
    ServiceWorkerRegistration.prototype.showNotification = async (_, options) =>
      void apiCalls.notified.push(options?.body ?? '');
    Object.defineProperty(document, 'hidden', { get: () => true });
    const request = WakeLock.prototype.request;
    WakeLock.prototype.request = function (type) {
      apiCalls.awake.push(type ?? '');
      return request.call(this, type);
    };
  });
  const apiCalls = () => page.evaluate(() => (globalThis as unknown as { apiCalls: ApiCalls }).apiCalls);
  await page.goto(`${server.url}/en`);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page
    .getByRole('radiogroup', { name: 'Notifications' })
    .getByRole('radio', { name: 'On' })
    .check({ force: true });

  const sent = await send(page, server.url, [NOTE]);
  await page.getByRole('button', { name: 'Copy link' }).first().click();
  await page.getByRole('button', { name: 'Share link' }).click();
  const isDropPrevented = await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'x.txt'));
    return !document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  expect(isDropPrevented).toBe(true);
  await expect.poll(apiCalls).toEqual({
    copied: [sent.link],
    shared: [{ url: sent.link }],
    notified: ['Your files are ready to share.'],
    awake: ['screen'],
  });

  await openPage(page, sent);
  // Without this, a small file is saved before the wake lock is requested.
  const held = await holdBytes(page, server);
  const downloading = downloadFile(page, NOTE.name);
  await expect.poll(async () => (await apiCalls()).awake).toEqual(['screen']);
  await held.release();
  await (await downloading).path();
  await expect.poll(async () => (await apiCalls()).notified).toEqual([`${NOTE.name} has been saved.`]);
});
