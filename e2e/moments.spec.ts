// What main.tsx connects the screens to: the clipboard, the share dialog, notifications, the wake lock, stray files. What
// the screens do with them is proven by the component tests of the web app.
import { fetchFile, type GivenFile, openPage, send } from './support/people.ts';
import { expect, test } from './support/test.ts';

const NOTE: GivenFile = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

interface Seen {
  copied: string[];
  shared: unknown[];
  notified: string[];
  awake: string[];
}

test('the screens use the clipboard, the share dialog, notifications and the wake lock of the browser', async ({
  page,
  context,
  server,
}) => {
  await context.grantPermissions(['notifications']);
  await page.addInitScript(() => {
    const seen: Seen = { copied: [], shared: [], notified: [], awake: [] };
    Object.assign(globalThis, { seen });
    // Our own policy lets no page read the clipboard, not even in a test.
    Object.assign(navigator.clipboard, { writeText: async (text: string) => void seen.copied.push(text) });
    Object.assign(navigator, { share: async (data: unknown) => void seen.shared.push(data) });
    // A headless browser shows no notification; the call is what counts.
    ServiceWorkerRegistration.prototype.showNotification = async (_, options) =>
      void seen.notified.push(options?.body ?? '');
    Object.defineProperty(document, 'hidden', { get: () => true });
    const request = WakeLock.prototype.request;
    WakeLock.prototype.request = function (type) {
      seen.awake.push(type ?? '');
      return request.call(this, type);
    };
  });
  const seen = () => page.evaluate(() => (globalThis as unknown as { seen: Seen }).seen);
  await page.goto(`${server.url}/en`);
  await page.getByRole('button', { name: 'Settings' }).click();
  await page
    .getByRole('radiogroup', { name: 'Notifications' })
    .getByRole('radio', { name: 'On' })
    .check({ force: true });

  const sent = await send(page, server.url, [NOTE]);
  await page.getByRole('button', { name: 'Copy link' }).first().click();
  await page.getByText('More ways to hand it over').click();
  await page.getByRole('button', { name: 'Share the link' }).click();
  const isDropPrevented = await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'x.txt'));
    return !document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  });
  expect(isDropPrevented).toBe(true);
  await expect.poll(seen).toEqual({
    copied: [sent.link],
    shared: [{ url: sent.link }],
    notified: ['Your files are ready to be handed over.'],
    awake: ['screen'],
  });

  await openPage(page, sent);
  await (await fetchFile(page, NOTE.name)).path();
  await expect.poll(async () => (await seen()).notified).toEqual([`${NOTE.name} has been saved.`]);
  await expect.poll(async () => (await seen()).awake).toEqual(['screen']);
});
