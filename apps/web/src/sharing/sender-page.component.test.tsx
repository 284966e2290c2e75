// The sender's page: it does not lose the key without a question, knows its sender, and says what became of the files.
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '../../testing/accessibility.ts';
import { createFakeServices } from '../../testing/fake-services.ts';
import { renderApp } from '../../testing/render-app.tsx';
import { chooseLinkWithKey, keyField, linkField, sendByScreen, wouldAskOnUnload } from '../../testing/sender.ts';
import { button, click, fileOf, press, sendFiles } from '../../testing/user.ts';
import { holdTime, passTime } from '../../testing/virtual-time.ts';

const LONG = `${'a-very-long-name-'.repeat(12)}.txt`;
const logo = page.getByRole('link', { name: 'Furoshiki, start over' });
const backLink = page.getByRole('link', { name: 'Back to the home page' });
const dialog = page.getByRole('alertdialog');
const isReady = page.getByRole('heading', { name: 'Wrapped and ready' });
const isGone = page.getByRole('heading', { name: 'These files are gone' });

/** The page that all component tests share has a title of its own before ours. */
const tabTitle = () => document.head.querySelector('title[data-page]')?.textContent;

async function toStart(): Promise<void> {
  await click(backLink);
  await expect.poll(() => location.pathname).toBe('/en');
}

test('leaving asks until the key was copied', async () => {
  await sendByScreen(['note.txt']);
  const confirm = vi.spyOn(window, 'confirm').mockReturnValue(false);
  await click(linkField.getByRole('button', { name: 'Copy link' }));
  expect(wouldAskOnUnload()).toBe(true);
  await click(logo);
  await click(page.getByRole('link', { name: 'FAQ' }));
  await press('Send more files');
  expect(confirm.mock.calls.map(([question]) => question)).toEqual(
    Array(3).fill('You haven’t copied the key yet. Without it, nobody can open the files. Leave anyway?'),
  );
  await expect.element(isReady).toBeVisible();
  await press('Copy key');
  await expect.poll(wouldAskOnUnload).toBe(false);
  // The start shows the key as well, and remembers that it was copied.
  await toStart();
  await expect.element(keyField).toBeVisible();
  await click(logo);
  await expect.element(button('Choose files')).toBeVisible();
  expect(confirm).toHaveBeenCalledTimes(3);
});

test('going back to the start loses nothing and does not ask, but going on from there does', async () => {
  await sendByScreen(['note.txt', LONG]);
  const confirm = vi.spyOn(window, 'confirm').mockReturnValue(false);
  await toStart();
  await expect.element(button('Delete note.txt')).toBeVisible();
  await expect.element(keyField).toBeVisible();
  await expect.element(linkField).toBeVisible();
  await expect.element(page.getByText('5 downloads left').first()).toBeVisible();
  // The first one is on the sheet to print.
  await expect.element(page.getByText(/^Deleted automatically on /u).last()).toBeVisible();
  await expectAccessible();
  expect(confirm).not.toHaveBeenCalled();
  await press('Send more files');
  expect(confirm).toHaveBeenCalledTimes(1);
  confirm.mockReturnValue(true);
  await click(logo);
  await expect.element(button('Choose files')).toBeVisible();
  await expect.element(keyField).not.toBeInTheDocument();
});

test.each([
  ['the message is copied', () => press('Copy both as a message')],
  [
    'the link with key is copied',
    async () => {
      await chooseLinkWithKey();
      await press('Copy link with key');
    },
  ],
  [
    'its QR code is shown',
    async () => {
      await chooseLinkWithKey();
      await press('QR code with key');
    },
  ],
  [
    'it is shared',
    async () => {
      await chooseLinkWithKey();
      await press('Share link with key');
    },
  ],
  [
    'it is printed',
    async () => {
      await chooseLinkWithKey();
      dispatchEvent(new Event('beforeprint'));
    },
  ],
  [
    'the key is copied by hand',
    async () => {
      await press('Show key');
      await expect.element(button('Hide key')).toBeVisible();
      const shown = keyField.getByRole('status').element();
      getSelection()?.selectAllChildren(shown);
      shown.dispatchEvent(new ClipboardEvent('copy', { bubbles: true }));
    },
  ],
])('leaving does not ask after %s', async (_, take) => {
  await sendByScreen(['note.txt'], { hasShareSheet: true });
  await expect.poll(wouldAskOnUnload).toBe(true);
  await take();
  await expect.poll(wouldAskOnUnload).toBe(false);
});

test('neither a sheet, a QR code nor a shared link without the key counts as taking it', async () => {
  await sendByScreen(['note.txt'], { hasShareSheet: true });
  await press('QR code');
  await press('Share link');
  dispatchEvent(new Event('beforeprint'));
  await expect.element(page.getByRole('img', { name: 'QR code of the link' })).toBeVisible();
  expect(wouldAskOnUnload()).toBe(true);
});

test('after a reload the sender is told that the key is lost, and is not taken for a recipient', async () => {
  const fake = await sendByScreen(['note.txt']);
  await expect.poll(tabTitle).toBe('Files you sent — Furoshiki');
  await expect.element(button('Report this page')).not.toBeInTheDocument();
  const path = location.pathname;
  await renderApp(path, fake);
  await expect.element(page.getByText('Are these your files? We can’t show the key again.')).toBeVisible();
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Files you sent');
  await expect.element(button('Report this page')).not.toBeInTheDocument();
  await expect.poll(tabTitle).toBe('Files you sent — Furoshiki');
  expect(document.body.textContent).not.toMatch(/Files for you|The sender gave it to you/u);
  expect(wouldAskOnUnload()).toBe(false);
  await expectAccessible();
  await press('Send more files');
  await expect.element(button('Choose files')).toBeVisible();
});

test('after a reload nothing is said of a key if the files are not encrypted', async () => {
  const fake = createFakeServices();
  const { path, pageId } = await sendFiles(fake, [fileOf('note.txt')], { isEncrypted: false });
  fake.services.ownPages.add(pageId);
  await renderApp(path, fake);
  await expect.element(page.getByRole('heading', { name: 'Files you sent' })).toBeVisible();
  await expect.element(page.getByText('Are these your files?')).not.toBeInTheDocument();
});

test('the sender who opens the link with key sees what a recipient sees', async () => {
  const fake = await sendByScreen(['note.txt']);
  await press('Copy key');
  await expect.poll(() => fake.copied.length).toBe(1);
  await renderApp(location.pathname, fake, fake.copied[0]);
  await expect.element(page.getByRole('heading', { name: 'Files for you' })).toBeVisible();
});

test('the count of downloads follows the server, and the sender is notified', async () => {
  const { server, notified } = await sendByScreen(['note.txt']);
  await expect.element(page.getByText('0 of 5 downloads used')).toBeVisible();
  holdTime();
  // Leaves the screen and returns to it, because the interval was started before time was held.
  await toStart();
  history.back();
  await expect.element(page.getByText('0 of 5 downloads used')).toBeVisible();
  for (const { page: file } of server.files.values()) file.currentDownloads = 1;
  await passTime(10_200);
  expect(page.getByText('1 of 5 downloads used').query()).not.toBeNull();
  await expect.poll(() => notified).toEqual(['Your files are ready to share.', 'Someone downloaded your files.']);
});

test('downloading an own file asks first, because it counts', async () => {
  const { server } = await sendByScreen(['note.txt'], {}, 3);
  await press('Download note.txt');
  await expect.element(dialog).toMatchTextContent('This uses up one of its 3 downloads.');
  await click(dialog.getByRole('button', { name: 'Cancel' }));
  await expect.element(dialog).not.toBeInTheDocument();
  expect(server.counts.has('takeGrant')).toBe(false);
  await press('Download note.txt');
  await click(dialog.getByRole('button', { name: 'Download' }));
  await expect.element(button('Saved')).toBeVisible();
  await expect.element(page.getByText('1 of 3 downloads used')).toBeVisible();
  await expect.element(isReady).toBeVisible();
});

test('the buttons for all files ask as well', async () => {
  const { server } = await sendByScreen(['a.txt', 'b.txt']);
  for (const name of ['Download all', 'Download all as one ZIP']) {
    await press(name);
    await expect.element(dialog).toMatchTextContent('This uses up one of each file’s 5 downloads.');
    await click(dialog.getByRole('button', { name: 'Cancel' }));
  }
  expect(server.counts.has('takeGrant')).toBe(false);
});

test('after its last download the sender sees that the file is gone, and the server is not asked again', async () => {
  const { server } = await sendByScreen(['note.txt'], {}, 1);
  await press('Download note.txt');
  await expect.element(dialog).toMatchTextContent('It’s the last download');
  await expectAccessible();
  holdTime();
  await click(dialog.getByRole('button', { name: 'Download' }));
  await expect.element(button('Saved')).toBeVisible();
  await expect.element(isGone).toBeVisible();
  await expect.element(isReady).not.toBeInTheDocument();
  expect(document.body.textContent).not.toContain('0 of 0');
  const asked = server.counts.get('page');
  await passTime(30_000);
  expect(server.counts.get('page')).toBe(asked);
  await expectAccessible();
});

test('the sender sees when all files are gone, at the start and on the page', async () => {
  await sendByScreen(['a.txt', 'b.txt']);
  await toStart();
  for (const name of ['a.txt', 'b.txt']) {
    await press(`Delete ${name}`);
    await click(dialog.getByRole('button', { name: 'Delete' }));
    await expect.element(page.getByText(`${name} was deleted.`)).toBeVisible();
  }
  await expect.element(isGone).toBeVisible();
  await expect.element(isReady).not.toBeInTheDocument();
  history.back();
  await expect.element(backLink).toBeVisible();
  await expect.element(isGone).toBeVisible();
  await expect.element(isReady).not.toBeInTheDocument();
});

test('after all files were deleted, the next step is to send others', async () => {
  await sendByScreen(['a.txt', 'b.txt']);
  await press('Delete all files');
  await click(dialog.getByRole('button', { name: 'Delete all files' }));
  await expect.element(isGone).toBeVisible();
  await expectAccessible();
  await press('Send more files');
  await expect.element(button('Choose files')).toBeVisible();
});
