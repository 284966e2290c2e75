// The list "Sent from this device" on the home screen.
import { Failure } from '@furoshiki/api';
import { expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { createFakeServices, type FakeServices, type FakeServicesOptions } from '../../../testing/fake-services.ts';
import { interruptedUpload } from '../../../testing/interrupted-upload.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { loadOnce } from '../../ui/lazy.tsx';
import { button, chooseButton, chooseFiles, click, fileOf, press, sendFiles } from '../../../testing/user.ts';
import { holdTime, passTime } from '../../../testing/virtual-time.ts';
import { SENT_KEY } from '../../platform/device/settings.ts';

const list = page.getByRole('region', { name: 'Sent from this device' });
const rows = list.getByRole('listitem');
const dialog = page.getByRole('alertdialog');

/** Puts pages on the server and in the list, then opens home. The last one sent is the first of the list. */
async function openHome(sent: string[][], options: FakeServicesOptions = {}): Promise<FakeServices> {
  const fake = createFakeServices(options);
  for (const fileNames of sent) await sendAndList(fake, fileNames);
  await renderApp('/en', fake);
  await expect.element(list).toBeVisible();
  return fake;
}

/** Rows ask the server only when they are visible. */
async function scrollToList(): Promise<void> {
  await expect.element(list).toBeVisible();
  list.element().scrollIntoView();
}

async function sendAndList(fake: FakeServices, fileNames: string[]): Promise<string> {
  const files = fileNames.map((name) => fileOf(name.replaceAll('\u202e', '_')));
  const { pageId } = await sendFiles(fake, files);
  (await fake.services.loadSentPages()).add({ pageId, fileNames, retentionDays: 1 });
  return pageId;
}

async function deletePage(title: string): Promise<void> {
  await press(`Delete ${title}`);
  await click(dialog.getByRole('button', { name: 'Delete', exact: true }));
}

test('an upload is listed with its names, expiry and downloads, without its key', async () => {
  const stored = new Map<string, string>();
  const fake = await renderApp('/en', { stored });
  await chooseFiles(['a.txt', 'b.txt', 'c.txt'].map((name) => fileOf(name)));
  await expect.element(list).not.toBeInTheDocument();
  await press('Start upload');
  await expect.element(page.getByText('Your files are ready to share.')).toBeVisible();
  await press('Copy key');
  await expect.poll(() => fake.copied.length).toBe(1);
  vi.spyOn(window, 'confirm').mockReturnValue(true);
  await click(page.getByRole('link', { name: 'Furoshiki, start over' }));
  await expect.element(rows).toMatchTextContent(/^a\.txt and 2 more/u);
  await scrollToList();
  await expect.element(rows).toMatchTextContent(/Expires in 23 hours|Expires in 24 hours/u);
  await expect.element(rows).toMatchTextContent('0 of 5 downloads used');
  expect(stored.get(SENT_KEY)).toContain('a.txt');
  expect([...stored.values()].join()).not.toContain(fake.copied[0]);
  await expectAccessible();
});

test('a resumed upload is listed too', async () => {
  const interrupted = await interruptedUpload([fileOf('rest.txt')]);
  await renderApp('/en', { interrupted: [interrupted] });
  await chooseFiles([fileOf('rest.txt')], button('Choose the files and continue'));
  await expect.element(page.getByText('Your files are ready to share.')).toBeVisible();
  vi.spyOn(window, 'confirm').mockReturnValue(true);
  await click(page.getByRole('link', { name: 'Furoshiki, start over' }));
  await expect.element(list.getByRole('link', { name: 'rest.txt' })).toBeVisible();
});

test('a row opens its page and copies its link', async () => {
  const { copied } = await openHome([['a.txt']]);
  const path = list.getByRole('link', { name: 'a.txt' }).element().getAttribute('href');
  await press('Copy link: a.txt');
  await expect.poll(() => copied).toEqual([new URL(path ?? '', document.baseURI).href]);
  await click(list.getByRole('link', { name: 'a.txt' }));
  await expect.element(page.getByRole('heading', { name: 'Files for you' })).toBeVisible();
});

test('files that were downloaded differently often show a range, and how many are left', async () => {
  const fake = createFakeServices();
  await sendAndList(fake, ['a.txt', 'b.txt', 'c.txt']);
  const [first, second] = [...fake.server.files];
  if (first) first[1].page.currentDownloads = 2;
  if (second) fake.server.files.delete(second[0]);
  await renderApp('/en', fake);
  await scrollToList();
  await expect.element(rows).toMatchTextContent('0–2 of 5 downloads used');
  await expect.element(rows).toMatchTextContent('2 of 3 files left');
});

test('a name cannot change the direction of the text around it', async () => {
  await openHome([['photo\u202egpj.exe']]);
  await expect.element(list.getByRole('link', { name: 'photo_gpj.exe' })).toBeVisible();
});

test('a page is deleted after a question, and the focus stays in the list', async () => {
  const { server } = await openHome([['a.txt'], ['b.txt', 'b2.txt'], ['c.txt']]);
  await press('Delete b.txt and 1 more');
  await expect.element(dialog).toMatchTextContent('Delete b.txt and 1 more for everyone?');
  await press('Keep');
  expect(server.files.size).toBe(4);
  await deletePage('b.txt and 1 more');
  await expect.element(page.getByText('Deleted: b.txt and 1 more')).toBeVisible();
  await expect.poll(() => server.files.size).toBe(2);
  // The row of a.txt took its place.
  await expect.element(rows.nth(1)).toHaveFocus();
  await expect.element(rows.nth(1)).toMatchTextContent(/^a\.txt/u);
  await userEvent.keyboard('{Tab}');
  await expect.element(list.getByRole('link', { name: 'a.txt' })).toHaveFocus();
  await expectAccessible();
});

test('the message about the last page stays for five seconds, then nothing is left', async () => {
  await openHome([['a.txt']]);
  holdTime();
  await deletePage('a.txt');
  await passTime(200);
  const message = page.getByText('a.txt was deleted.');
  expect(message.query()).not.toBeNull();
  expect(list.query()).toBeNull();
  await passTime(4500);
  expect(message.query()).not.toBeNull();
  await passTime(500);
  expect(message.query()).toBeNull();
  expect(document.activeElement).not.toBe(document.body);
  expect(document.activeElement?.closest('main')).not.toBeNull();
});

test('a page that could not be deleted stays, with the reason', async () => {
  const { server } = await openHome([['a.txt', 'b.txt']], {
    onCall(name) {
      if (name === 'deleteFile') throw new Failure('VALIDATION_FAILED', { status: 400 });
    },
  });
  await deletePage('a.txt and 1 more');
  await expect.element(page.getByText('Some files couldn’t be deleted: a.txt and 1 more.')).toBeVisible();
  await expect.element(rows).toBeVisible();
  expect(server.files.size).toBe(2);
});

test('a page that is gone says so, and can be removed', async () => {
  const fake = createFakeServices();
  await sendAndList(fake, ['a.txt']);
  fake.server.files.clear();
  await renderApp('/en', fake);
  await scrollToList();
  await expect.element(rows).toMatchTextContent('Gone: deleted, or download limit reached');
  await expect.element(list.getByRole('link')).not.toBeInTheDocument();
  await expectAccessible();
  await press('Remove a.txt from the list');
  await expect.element(list).not.toBeInTheDocument();
});

test('without the server it shows what is stored', async () => {
  let asked = 0;
  await openHome([['a.txt']], {
    onCall(name) {
      if (name === 'page') {
        asked += 1;
        throw new Failure('NETWORK');
      }
    },
  });
  await scrollToList();
  await expect.poll(() => asked).toBe(1);
  await expect.element(rows).toMatchTextContent(/^a\.txt\s*Expires in 2[34] hours/u);
  expect(rows.element().textContent).not.toContain('downloads used');
  await expect.element(button('Delete a.txt')).toBeVisible();
});

test('asks for at most three pages at once, and only for visible ones', async () => {
  const fake = createFakeServices();
  for (let number = 1; number <= 12; number += 1) await sendAndList(fake, [`${number}.txt`]);
  const { api } = fake.services;
  const answer = Promise.withResolvers<void>();
  let asked = 0;
  fake.services.api = {
    ...api,
    async call(name, ...rest) {
      if (name === 'page') {
        asked += 1;
        await answer.promise;
      }
      return api.call(name, ...rest);
    },
  };
  await renderApp('/en', fake);
  await scrollToList();
  await expect.poll(() => asked).toBe(3);
  answer.resolve();
  await expect.element(rows.nth(0)).toMatchTextContent('0 of 5 downloads used');
  await expect.poll(() => asked).toBeGreaterThan(3);
  expect(rows.nth(11).element().textContent).not.toContain('downloads used');
  rows.nth(11).element().scrollIntoView();
  await expect.element(rows.nth(11)).toMatchTextContent('0 of 5 downloads used');
});

test('a page that expires while it is shown is removed', async () => {
  const fake = createFakeServices();
  await sendAndList(fake, ['a.txt']);
  holdTime();
  await renderApp('/en', fake);
  await expect.element(list).toBeVisible();
  vi.setSystemTime(Date.now() + 24 * 3_600_000);
  await passTime(61_000);
  expect(list.query()).toBeNull();
});

test('follows other tabs, without taking the focus', async () => {
  const stored = new Map<string, string>();
  const fake = await openHome([['a.txt']], { stored });
  const otherTab = createFakeServices({ stored, server: fake.server });
  await sendAndList(otherTab, ['b.txt']);
  dispatchEvent(new StorageEvent('storage', { key: SENT_KEY }));
  await expect.element(list.getByRole('link', { name: 'b.txt' })).toBeVisible();
  expect(document.activeElement).toBe(document.body);
});

test('turning the list off clears it in every tab, and nothing more is listed until it is turned on', async () => {
  const stored = new Map<string, string>();
  const fake = await openHome([['a.txt']], { stored });
  const otherTab = createFakeServices({ stored, server: fake.server });
  await press('Settings');
  const choice = page.getByRole('radiogroup', { name: 'Sent from this device' });
  await expect.element(choice.getByRole('radio', { name: 'On' })).toBeChecked();
  await expectAccessible();
  await click(choice.getByText('Off', { exact: true }));
  await expect.element(list).not.toBeInTheDocument();
  expect(stored.has(SENT_KEY)).toBe(false);
  dispatchEvent(new StorageEvent('storage', { key: SENT_KEY }));
  await sendAndList(otherTab, ['b.txt']);
  await sendAndList(fake, ['c.txt']);
  expect(stored.has(SENT_KEY)).toBe(false);
  await click(choice.getByText('On', { exact: true }));
  await sendAndList(fake, ['d.txt']);
  await expect.element(list.getByRole('link', { name: 'd.txt' })).toBeInTheDocument();
});

test('home works without the list if its code cannot be loaded', async () => {
  const fake = createFakeServices();
  fake.services.loadSentPages = loadOnce(() => Promise.reject(new Error('gone')));
  await renderApp('/en', fake);
  await chooseFiles([fileOf('a.txt')]);
  await press('Start upload');
  await expect.element(page.getByText('Your files are ready to share.')).toBeVisible();
  vi.spyOn(window, 'confirm').mockReturnValue(true);
  await click(page.getByRole('link', { name: 'Furoshiki, start over' }));
  await expect.element(chooseButton()).toBeVisible();
});
