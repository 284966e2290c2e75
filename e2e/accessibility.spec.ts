// Every screen in every state: wide and narrow, light and dark, by axe, by finger and by keyboard.
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { chooseFiles, fetchFile, type GivenFile, openPage, readHandover, send } from './support/people.ts';
import { expectSound, NARROW } from './support/sound.ts';
import { expect, test } from './support/test.ts';

const NOTE: GivenFile = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };
const LONG: GivenFile = { ...NOTE, name: `${'a-very-long-name-'.repeat(12)}.txt` };

test('home, from empty to sent', async ({ page, server }) => {
  await page.goto(`${server.url}/en`);
  await expect(page.getByRole('heading', { name: 'Lay your files on the cloth' })).toBeVisible();
  await expectSound(page);

  await chooseFiles(page, [NOTE, LONG, { ...NOTE, name: 'void.txt', buffer: Buffer.from('') }]);
  await expect(page.getByRole('alert')).toHaveText('void.txt: the file is empty');
  await expect(page.getByText('Total: 10 B')).toBeVisible();
  await expectSound(page);

  // Parts that never get an answer keep the upload running.
  await page.route(server.bytes, () => undefined);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect(page.getByRole('progressbar')).toBeVisible();
  await expect(page.getByText('Waiting', { exact: true })).toBeVisible();
  await expectSound(page);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'The upload was cancelled.' })).toBeVisible();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await expectSound(page);
});

test('a selection that is too large', async ({ page, server }) => {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-large-'));
  // Large without taking any room on the disk.
  const paths = [join(folder, 'a.bin'), join(folder, 'b.bin')];
  for (const path of paths) {
    const file = await open(path, 'w');
    await file.truncate(6 * 1024 ** 3);
    await file.close();
  }
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, paths);
  await expect(page.getByRole('alert')).toContainText('Total size exceeds the limit (10 GB)');
  await expect(page.getByRole('button', { name: 'Start upload' })).toBeDisabled();
  await expectSound(page);
  await rm(folder, { recursive: true });
});

test('settings and languages', async ({ page, server }) => {
  await page.goto(`${server.url}/en`);
  await page.getByRole('button', { name: 'Language: English' }).click();
  await expect(page.getByRole('link', { name: 'English' })).toHaveAttribute('aria-current', 'true');
  await expectSound(page);
  await page.getByRole('heading', { name: 'Hand over files' }).click();
  await expect(page.getByRole('link', { name: 'English' })).toBeHidden();

  await page.getByRole('button', { name: 'Settings' }).click();
  await expect(page.getByRole('radiogroup', { name: 'Theme' })).toBeVisible();
  await expectSound(page);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
  const darkPaper = await paperOf(page);
  // What is chosen stands before the first paint of the next visit, whatever the system says.
  await page.reload();
  expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark');
  expect(await paperOf(page)).toBe(darkPaper);
  await page.evaluate(() => localStorage.removeItem('furoshiki.theme'));
  await page.reload();
  expect(await paperOf(page)).not.toBe(darkPaper);
});

const paperOf = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test('what is handed over, by its sender', async ({ page, server }) => {
  await send(page, server.url, [NOTE, LONG]);
  await page.getByText('More ways to hand it over').click();
  await page.getByRole('button', { name: 'QR code' }).click();
  await expect(page.getByRole('img', { name: 'QR code of the link' })).toBeVisible();
  await expectSound(page);
  await page.getByRole('link', { name: 'Back to the start' }).click();
  await expect(page.getByRole('button', { name: 'Send other files' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete note.txt' })).toBeVisible();
  await expectSound(page);
  await page.getByRole('link', { name: 'Furoshiki, start over' }).click();
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
});

test('the download page, from the key to the last file', async ({ page, server }) => {
  const handover = await send(page, server.url, [NOTE, LONG], 1);
  await page.goto(handover.link);
  await expect(page.getByRole('heading', { name: 'Files for you' })).toBeVisible();
  await expectSound(page);
  await page.getByRole('textbox', { name: 'Key' }).fill('wrong');
  await expect(page.getByText('What may help')).toBeVisible();
  await expectSound(page);
  await openPage(page, handover);
  await expectSound(page);
  await page.getByRole('button', { name: 'Delete note.txt' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expectSound(page);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'Delete note.txt' })).toBeFocused();
  await page.getByRole('button', { name: 'Report this page' }).click();
  await expect(page.getByRole('dialog', { name: 'Report this page' })).toBeVisible();
  await expectSound(page);
  await page.keyboard.press('Escape');
  await fetchFile(page, NOTE.name);
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await expectSound(page);
  await page.reload();
  await openPage(page, handover);
  await fetchFile(page, LONG.name);
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'There are no files here' })).toBeVisible();
  await expectSound(page);
});

test('contact, and a page that is not there', async ({ page, server }) => {
  await page.goto(`${server.url}/en/contact`);
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText('Please fill in this field.')).toHaveCount(3);
  await expect(page.getByRole('textbox', { name: 'Name' })).toBeFocused();
  await expectSound(page);
  await page.getByRole('textbox', { name: 'Name' }).fill('Aki');
  await page.getByRole('textbox', { name: 'Email address' }).fill('aki at example');
  await page.getByRole('textbox', { name: 'Message' }).fill('Hello!');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByText('Please enter a valid email address')).toBeVisible();
  await page.getByRole('textbox', { name: 'Email address' }).fill('aki@example.org');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect(page.getByRole('heading', { name: 'Thank you' })).toBeVisible();
  await expectSound(page);
  await page.getByRole('button', { name: 'New inquiry' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('');
  await page.goto(`${server.url}/en/nowhere`);
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect(page.getByRole('img', { name: /dinosaur/u })).toBeVisible();
  await expectSound(page);
});

test('a start that fails says what to try, and an address that is not secure says so', async ({ page, server }) => {
  await page.route('**/api/csrf-token', (route) => route.abort());
  await page.goto(`${server.url}/en`);
  await expect(page.getByRole('alert')).toContainText('Could not connect to the server.');
  await expect(page.getByRole('listitem').filter({ hasText: 'cookies' })).toHaveCount(0);
  await expectSound(page);
  await page.unrouteAll();
  await page.route('**/api/csrf-token', (route) => route.fulfill({ status: 500, json: {} }));
  await page.reload();
  await expect(page.getByRole('listitem').filter({ hasText: 'cookies' })).toHaveCount(1);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload the page' }).click();
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible();
  await page.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }));
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This address is not secure' })).toBeVisible();
  await expectSound(page);
});

test('German and Japanese are no wider than a phone either', async ({ page, server }) => {
  const { link } = await send(page, server.url, [NOTE, LONG]);
  await page.setViewportSize(NARROW);
  for (const language of ['de', 'ja']) {
    for (const address of [`${server.url}/en`, link, `${server.url}/en/contact`, `${server.url}/en/nowhere`]) {
      await page.goto(address.replace('/en', `/${language}`));
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth), address).toBeLessThanOrEqual(390);
    }
  }
});

test('everything can be done with the keyboard alone', async ({ page, server }) => {
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute('aria-label') ?? (element?.closest('label') ?? element)?.textContent;
    });
  const tabTo = async (name: string) => {
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await focused()) === name) return;
    }
    throw new Error(`Tab never reaches ${name}`);
  };
  /** It is caught as soon as what had it is gone, but not before. */
  const expectFocusKept = () =>
    expect.poll(() => page.evaluate(() => document.activeElement === document.body)).toBe(false);

  // From here on a dialog is caught: asked for later, the key press could be faster.
  const choosing = page.waitForEvent('filechooser');
  await page.goto(`${server.url}/en`);
  await expect(page.getByRole('heading', { name: 'Hand over files' })).toBeVisible();
  await tabTo('Choose files');
  await page.keyboard.press('Enter');
  await (await choosing).setFiles([NOTE, LONG]);
  await expect(page.getByText('2 files')).toBeVisible();
  await page.getByRole('button', { name: `Remove ${LONG.name}` }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 file')).toBeVisible();
  await expectFocusKept();
  await tabTo('1 day');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: '2 days' })).toBeChecked();
  await tabTo('Start upload');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Your files are ready to be handed over.')).toBeVisible();
  // Before a click, which would give it to a button.
  await expectFocusKept();
  const handover = await readHandover(page);

  await page.goto(handover.link);
  await expect(page.getByRole('heading', { name: 'Files for you' })).toBeVisible();
  await tabTo('Show key');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.type(handover.key);
  await expect(page.getByText('The key fits.')).toBeVisible();
  await tabTo('Download note.txt');
  const downloading = page.waitForEvent('download');
  await page.keyboard.press('Enter');
  await downloading;
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await expectFocusKept();
});
