// What the sender sees after an upload: the link, the key, and what has been downloaded.
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import type { FakeServicesOptions } from '../../testing/fake-services.ts';
import { renderApp } from '../../testing/render-app.tsx';
import { expectAccessible } from '../../testing/accessibility.ts';
import { button, chooseFiles, click, fileOf, press } from '../../testing/user.ts';
import { holdTime, passTime } from '../../testing/virtual-time.ts';

const link = page.getByRole('group', { name: 'Link', exact: true });
const key = page.getByRole('group', { name: 'Key', exact: true });
const LONG = `${'a-very-long-name-'.repeat(12)}.txt`;

async function sendByScreen(names: string[], options: FakeServicesOptions = {}) {
  const fake = await renderApp('/en', options);
  await chooseFiles(names.map((name) => fileOf(name)));
  await press('Start upload');
  await expect.element(page.getByText('Your files are ready to be handed over.')).toBeVisible();
  return fake;
}

const linkText = () => link.getByRole('status').element().textContent;

test('a copy is confirmed for three seconds', async () => {
  const { copied } = await sendByScreen(['note.txt']);
  holdTime();
  await click(link.getByRole('button', { name: 'Copy link' }));
  await expect.element(link.getByRole('button', { name: 'Copied' })).toBeVisible();
  await expect.poll(() => copied).toEqual([linkText()]);
  await passTime(2700);
  expect(link.getByRole('button', { name: 'Copied' }).query()).not.toBeNull();
  await passTime(400);
  expect(link.getByRole('button', { name: 'Copy link' }).query()).not.toBeNull();
});

test('the key is masked until it is shown, and copied whole either way', async () => {
  const { copied } = await sendByScreen(['note.txt']);
  const masked = key.getByRole('status').element().textContent;
  await press('Copy key');
  await expect.poll(() => copied.length).toBe(1);
  expect(copied[0]).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
  expect(masked).not.toBe(copied[0]);
  expect(linkText()).not.toContain(copied[0]);
  await click(key.getByRole('button', { name: 'Show key' }));
  await expect.element(key.getByRole('status')).toHaveTextContent(copied[0]);
});

test('offers a message, the share sheet of the system, a QR code, and a link with the key', async () => {
  const { copied, shared } = await sendByScreen(['note.txt', LONG], { hasShareSheet: true });
  await click(page.getByText('More ways to hand it over'));
  await press('Share the link');
  // The link alone: the key is sent separately.
  await expect.poll(() => shared).toEqual([linkText()]);
  await press('Copy both as a message');
  await press('Copy link with key');
  await expect.poll(() => copied.length).toBe(2);
  expect(copied[0]).toContain(`Link: ${linkText()}`);
  expect(copied[1]).toMatch(/#key=/u);
  await press('QR code');
  await expect.element(page.getByRole('img', { name: 'QR code of the link' })).toBeVisible();
  await expectAccessible();
});

test('offers no share sheet where the system has none', async () => {
  await sendByScreen(['note.txt']);
  await click(page.getByText('More ways to hand it over'));
  await expect.element(button('Share the link')).not.toBeInTheDocument();
});

test('the count of downloads follows the server, and the sender is notified', async () => {
  const { server, notified } = await sendByScreen(['note.txt']);
  await expect.element(page.getByText('Downloaded 0 of 5')).toBeVisible();
  holdTime();
  // The interval was started before time was held.
  await renderedAgain();
  for (const { page: file } of server.files.values()) file.currentDownloads = 1;
  await passTime(10_200);
  expect(page.getByText('Downloaded 1 of 5').query()).not.toBeNull();
  await expect.poll(() => notified).toEqual(['Your files are ready to be handed over.', 'Your files were downloaded.']);
});

/** Leaves the screen and returns to it, so that its timers start in held time. */
async function renderedAgain(): Promise<void> {
  await click(page.getByRole('link', { name: 'Back to the start' }));
  await expect.element(button('Send other files')).toBeVisible();
  history.back();
  await expect.element(page.getByText('Downloaded 0 of 5')).toBeVisible();
}

test('back at the start the sender still has the link and the key, and can begin again', async () => {
  await sendByScreen(['note.txt', LONG]);
  await click(page.getByRole('link', { name: 'Back to the start' }));
  await expect.element(button('Send other files')).toBeVisible();
  await expect.element(button('Delete note.txt')).toBeVisible();
  await expect.element(key).toBeVisible();
  await expectAccessible();
  await click(page.getByRole('link', { name: 'Furoshiki, start over' }));
  await expect.element(button('Choose files')).toBeVisible();
  await expect.element(key).not.toBeInTheDocument();
});

test('the sender sees when all files are gone, at the start and on the page', async () => {
  await sendByScreen(['a.txt', 'b.txt']);
  await click(page.getByRole('link', { name: 'Back to the start' }));
  for (const name of ['a.txt', 'b.txt']) {
    await press(`Delete ${name}`);
    await click(page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }));
    await expect.element(page.getByText(`${name} was deleted.`)).toBeVisible();
  }
  const all = page.getByText('Downloaded as often as allowed, or deleted');
  const isReady = page.getByText('Your files are ready to be handed over.');
  await expect.element(all).toBeVisible();
  await expect.element(isReady).not.toBeInTheDocument();
  history.back();
  await expect.element(page.getByRole('link', { name: 'Back to the start' })).toBeVisible();
  await expect.element(all).toBeVisible();
  await expect.element(isReady).not.toBeInTheDocument();
});
