// The files of a page: fetched one by one, all together or as one ZIP; what the buttons say; what cannot be fetched.
import { describe, expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeServices } from '../../../testing/fake-services.ts';
import { openReceivedPage, type ReceivedPageOptions, renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { button, click, fileOf, press, sendFiles } from '../../../testing/user.ts';

const FILES = ['a.txt', 'b.txt', 'c.txt'].map((name) => fileOf(name));
const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name });

const openPage = (files = FILES, options?: ReceivedPageOptions) => openReceivedPage(files, options);

test('a file is fetched, decrypted, saved and counted', async () => {
  const { disks, server, notified, savedAgain } = await openPage([fileOf('note.txt', 'quarterly figures')]);
  await expect.element(page.getByText('5 downloads left')).toBeVisible();
  await press('Download note.txt');
  await expect.element(button('Saved')).toBeVisible();
  const [disk] = disks.values();
  expect(new TextDecoder().decode(new Uint8Array(disk?.bytes ?? []))).toBe('quarterly figures');
  await expect.poll(() => notified).toEqual(['note.txt has been saved.']);
  await expect.poll(() => server.counts.get('confirmDownload')).toBe(1);
  await expectAccessible('everywhere');
  await press('Save again: note.txt');
  await expect.poll(() => savedAgain).toEqual([...disks.keys()]);
});

test('a file that has arrived is being decrypted, and its button and its progress say so', async () => {
  await openPage([fileOf('a.txt')]);
  const opening = Promise.withResolvers<void>();
  const { decrypt } = crypto.subtle;
  vi.spyOn(crypto.subtle, 'decrypt').mockImplementation(async (...args) => {
    const opened = await decrypt.apply(crypto.subtle, args);
    await opening.promise;
    return opened;
  });
  await press('Download a.txt');
  await expect.element(button('Decrypting')).toBeDisabled();
  await expect.element(page.getByRole('paragraph').filter({ hasText: 'Decrypting' })).toBeVisible();
  opening.resolve();
  await expect.element(button('Saved')).toBeVisible();
});

test('the positions of a long queue are shown', async () => {
  const names = Array.from({ length: 60 }, (_, index) => `${index + 100}.txt`);
  const { bytes } = await openPage(names.map((name) => fileOf(name)));
  bytes.hold();
  await press('Download all');
  await expect
    .element(rowOf('159.txt').getByRole('button', { name: 'Waiting in the queue (number 59)' }))
    .toBeVisible();
});

test('downloads wait for each other, and one that waits can be removed from the queue', async () => {
  const { bytes, awakeCount } = await openPage();
  bytes.hold();
  await press('Download all');
  await expect.poll(() => bytes.held.length).toBe(1);
  await expect.poll(awakeCount).toBe(1);
  await expect.element(rowOf('a.txt').getByRole('progressbar', { name: 'a.txt' })).toBeVisible();
  for (const text of ['File 1 of 3', 'Part 1 of 1', '0 B of 5 B'])
    await expect.element(rowOf('a.txt').getByText(text)).toBeVisible();
  await expect.element(rowOf('b.txt').getByRole('button', { name: 'Waiting in the queue (number 1)' })).toBeDisabled();
  await expect.element(rowOf('c.txt').getByRole('button', { name: 'Waiting in the queue (number 2)' })).toBeDisabled();
  await expectAccessible();

  await press('Cancel b.txt');
  await expect.element(rowOf('c.txt').getByRole('button', { name: 'Waiting in the queue (number 1)' })).toBeVisible();
  await click(rowOf('a.txt').getByRole('button', { name: 'Cancel', exact: true }));
  await expect.element(rowOf('a.txt').getByText('The download was cancelled.')).toBeVisible();
  // One's own cancel is no error.
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  await expect.element(rowOf('c.txt').getByRole('progressbar', { name: 'c.txt' })).toBeVisible();
  bytes.release();
  await expect.element(rowOf('c.txt').getByRole('button', { name: 'Saved' })).toBeVisible();
  await expect.element(rowOf('b.txt').getByRole('button', { name: 'Download b.txt' })).toBeEnabled();
  await expect.poll(awakeCount).toBe(0);
  await expectAccessible();
});

describe('a ZIP of all files', () => {
  test('shows its progress, and can be cancelled', async () => {
    const { bytes } = await openPage();
    bytes.hold();
    await press('Download all as one ZIP');
    await expect.element(page.getByText('File 1 of 3')).toBeVisible();
    await expect.element(page.getByRole('progressbar')).toBeVisible();
    await expect.element(button('Download a.txt')).toBeDisabled();
    await expectAccessible();
    await press('Cancel');
    await expect.element(page.getByText('The download was cancelled.')).toBeVisible();
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
    await expect.element(button('Download all as one ZIP')).toBeEnabled();
  });

  test('is still shown as saved when it used up the last downloads, and nothing is offered that is gone', async () => {
    const { server } = await openPage(FILES, { limit: 1 });
    await press('Download all as one ZIP');
    await expect.poll(() => server.files.size).toBe(0);
    await expect.poll(() => button('Download limit reached').all().length).toBe(FILES.length);
    await expect.element(page.getByText('The ZIP was saved.')).toBeVisible();
    await expect.element(page.getByText('There’s nothing left to download.')).toBeVisible();
    await expect.element(button('Download all')).toBeDisabled();
    await expect.element(button('Download all as one ZIP')).toBeDisabled();
    await expect.element(button('Save again: furoshiki.zip')).toBeEnabled();
  });
});

test('the number of files and their size are shown, and at the end why no button can be pressed', async () => {
  await openPage();
  await expect.element(page.getByText('3 files · 15 B')).toBeVisible();
  await expect.element(page.getByText('All files are saved.')).not.toBeInTheDocument();
  await press('Download all');
  await expect.element(page.getByText('All files are saved.')).toBeVisible();
  await expect.element(button('Download all as one ZIP')).toBeDisabled();
  await expectAccessible();
});

test('a file that is not encrypted is downloaded, but not decrypted', async () => {
  const fake = createFakeServices();
  const { path } = await sendFiles(fake, [fileOf('a.txt')], { isEncrypted: false });
  await renderApp(path, fake);
  const texts = new Set<string>();
  const watcher = new MutationObserver(() => texts.add(document.body.textContent));
  watcher.observe(document.body, { subtree: true, childList: true, characterData: true });
  fake.bytes.hold();
  await press('Download a.txt');
  await expect.poll(() => document.body.textContent).toContain('Downloading');
  fake.bytes.release();
  await expect.element(button('Saved')).toBeVisible();
  watcher.disconnect();
  expect([...texts].filter((text) => /decrypting/iu.test(text))).toEqual([]);
});

describe('the download limit', () => {
  test('is shown on the button of a file that has reached it', async () => {
    const fake = createFakeServices();
    const { path, keyText } = await sendFiles(fake, [fileOf('a.txt')], { limit: 1 });
    for (const { page: file } of fake.server.files.values()) file.currentDownloads = 1;
    await renderApp(path, fake, keyText);
    await expect.element(button('Download limit reached')).toBeDisabled();
    await expect.element(page.getByText('No downloads left')).toBeVisible();
  });

  test('does not stop a browser that has begun its download, and the page says so', async () => {
    const fake = createFakeServices();
    const { path, keyText } = await sendFiles(fake, [fileOf('a.txt')], { limit: 1 });
    for (const { page: file } of fake.server.files.values())
      Object.assign(file, { currentDownloads: 1, granted: true });
    await renderApp(path, fake, keyText);
    await expect
      .element(page.getByText('No downloads left, but you can still finish the one you started here'))
      .toBeVisible();
    await press('Download a.txt');
    await expect.element(button('Saved')).toBeVisible();
  });

  test('is shown to a reader who comes too late, and then nothing can be downloaded', async () => {
    const { server } = await openPage(FILES, { limit: 1 });
    // Another reader is faster.
    for (const { page: file } of server.files.values()) file.currentDownloads = 1;
    await press('Download a.txt');
    await expect.element(page.getByRole('alert').first()).toMatchTextContent('limit');
    await expect.poll(() => button('Download limit reached').all().length).toBe(FILES.length);
    await expect.element(button('Download all')).toBeDisabled();
    await expect.poll(() => page.getByText('No downloads left').all().length).toBe(FILES.length);
    await expectAccessible();
  });

  test('of 1 deletes the file after the confirmed download, and the next reader finds nothing', async () => {
    const fake = createFakeServices();
    const { path, keyText } = await sendFiles(fake, [fileOf('a.txt')], { limit: 1 });
    await renderApp(path, fake, keyText);
    await press('Download a.txt');
    await expect.element(button('Saved')).toBeVisible();
    await expect.poll(() => fake.server.files.size).toBe(0);
    await expect.element(page.getByText('0 downloads left')).toBeVisible();
    await expect.element(page.getByText('Deleted automatically')).not.toBeInTheDocument();
    await renderApp(path, createFakeServices({ server: fake.server }));
    await expect.element(page.getByRole('heading', { name: 'There are no files here' })).toBeVisible();
    await expect.element(page.getByText('Please check the link.')).toBeVisible();
    await expect.element(page.getByRole('img', { name: 'A dinosaur' })).toBeVisible();
    await expectAccessible();
    await click(page.getByRole('link', { name: 'Send files' }));
    await expect.element(button('Choose files')).toBeVisible();
  });
});

describe('the browser inside an app', () => {
  test('is shown the link to open elsewhere, and uses up nothing', async () => {
    const { server, copied } = await openPage(FILES, { warnings: { isInApp: true } });
    const notice = page.getByRole('alert').filter({ hasText: 'The browser inside this app can’t save files.' });
    await click(notice.getByRole('button', { name: 'Copy link' }));
    await expect.element(notice.getByRole('button', { name: 'Copied' })).toBeVisible();
    expect(copied).toEqual([expect.stringMatching(/\/en\/download\/\w+#key=/u)]);
    await expect.element(button('Download a.txt')).toBeDisabled();
    await expect.element(button('Download all')).toBeDisabled();
    expect(server.counts.get('takeGrant')).toBeUndefined();
    await expectAccessible();
  });
});

test('a browser that keeps files in memory warns of a large one', async () => {
  await openPage([fileOf('a.txt', 'hello!'), fileOf('b.txt')], { warnings: { memoryWarningAbove: 5 } });
  await expect.element(rowOf('a.txt').getByText('This browser has to keep the whole file in memory')).toBeVisible();
  await expect.element(rowOf('b.txt').getByRole('alert')).not.toBeInTheDocument();
});

test('a name with a direction mark is shown without it', async () => {
  await openPage([fileOf('photo\u200Fgpj.exe')]);
  await expect.element(rowOf('photo_gpj.exe')).toBeVisible();
  expect(page.getByRole('main').element().textContent).not.toContain('\u200F');
});

test('leaving during a download asks first, and does not ask when it has ended', async () => {
  const { bytes } = await openPage();
  const confirm = vi.spyOn(window, 'confirm').mockReturnValue(false);
  bytes.hold();
  await press('Download a.txt');
  await expect.poll(() => bytes.held.length).toBe(1);
  await expect.element(rowOf('a.txt').getByRole('progressbar')).toBeVisible();
  await click(page.getByRole('link', { name: 'Back to the home page' }));
  await expect.poll(() => confirm.mock.calls).toEqual([['A transfer is running. Leave this page and stop it?']]);
  bytes.release();
  await expect.element(button('Saved')).toBeVisible();
  await click(page.getByRole('link', { name: 'Back to the home page' }));
  await expect.element(button('Choose files')).toBeVisible();
  expect(confirm).toHaveBeenCalledTimes(1);
});
