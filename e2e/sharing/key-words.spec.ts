// A key of twelve words: read aloud by a sender, typed by a recipient in another browser, and given to the command line client.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { CliUser } from '../support/cli.ts';
import { chooseFiles, downloadFile, pageFiles } from '../support/user-actions.ts';
import { expect, test } from '../support/test.ts';

const INDEPENDENT_CLIENT = fileURLToPath(new URL('../independent-client/open-page.mjs', import.meta.url));
const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('read aloud') };
const key = (page: Page) => page.getByRole('textbox', { name: 'Key', exact: true });

/** The scripts that the page has loaded, without their hashes. */
const scripts = (page: Page) =>
  page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1) ?? ''));
const wordScripts = async (page: Page) => (await scripts(page)).filter((name) => /^(?:english|key-words)/u.test(name));

async function sendWithWords(page: Page, url: string) {
  await page.goto(`${url}/en`);
  await chooseFiles(page, [NOTE]);
  expect(await wordScripts(page)).toEqual([]);
  await page.getByText('More options').click();
  await page.getByRole('checkbox', { name: 'Key as words, to read aloud' }).check();
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect(page.getByText('Wrapped and ready')).toBeVisible();
  const link = await page.getByRole('group', { name: 'Link', exact: true }).getByRole('status').innerText();
  const field = page.getByRole('group', { name: 'Key', exact: true });
  await field.getByRole('button', { name: 'Show key' }).click();
  return { link, words: await field.getByRole('listitem').allInnerTexts() };
}

test('words that a sender reads aloud open the page in another browser, the client and the independent client', async ({
  page,
  browser,
  server,
}) => {
  const { link, words } = await sendWithWords(page, server.url);
  expect(words).toHaveLength(12);

  const recipient = await (await browser.newContext()).newPage();
  const requests: string[] = [];
  await recipient.goto(link);
  await expect(key(recipient)).toBeFocused();
  recipient.on('request', (request) => requests.push(`${request.method()} ${request.url().replace(server.url, '')}`));
  await key(recipient).pressSequentially(words.map((word) => word.slice(0, 4).toUpperCase()).join(' '));
  await expect(recipient.getByText('The key fits.')).toBeVisible();
  // Files of the site are loaded, for words, for the download and for reading offline. What is typed is in no request.
  const known =
    /^GET \/(?:assets\/[\w.-]+|offline\/en\.json|[\w.-]+\.js|icon\.svg|en(?:\/[a-z-]+)?|api\/config|api\/download\/page\/[\w-]+)$/u;
  expect(requests.filter((request) => !known.test(request))).toEqual([]);
  expect(requests).toContainEqual(expect.stringContaining('/assets/english-'));
  const saved = await downloadFile(recipient, NOTE.name);
  expect(await readFile(await saved.path(), 'utf8')).toBe('read aloud');
  await recipient.context().close();

  const user = await CliUser.create(server.url);
  const { exitCode } = await user.run(['receive', link, '-o', 'in'], { input: words.join('\n').toUpperCase() });
  expect(exitCode).toBe(0);
  expect(readFileSync(user.path('in', NOTE.name), 'utf8')).toBe('read aloud');
  await promisify(execFile)(process.execPath, [INDEPENDENT_CLIENT, link, words.join(' '), user.path('independent')]);
  expect(readFileSync(join(user.path('independent'), NOTE.name), 'utf8')).toBe('read aloud');
  await user.discard();
  expect((await pageFiles(server.url, link)).map((file) => file.currentDownloads)).toEqual([3]);
});

test('words of the client open the page in a browser, also pasted on several lines, and a wrong one spends nothing', async ({
  page,
  context,
  server,
}) => {
  const user = await CliUser.create(server.url);
  const sent = await user.run(['send', '-', '--name', NOTE.name, '--words'], {
    input: NOTE.buffer,
  });
  const [link = '', text = ''] = sent.stdout.toString().split('\n');
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(link);
  await key(page).pressSequentially('winenr ');
  await expect(page.getByText('“winenr” isn’t one of the words. Did you mean “winner”?')).toBeVisible();
  await key(page).fill('');
  await page.evaluate((lines) => navigator.clipboard.writeText(lines), text.split(' ').join('\n'));
  await key(page).press('ControlOrMeta+v');
  await expect(page.getByText('The key fits.')).toBeVisible();
  expect((await pageFiles(server.url, link)).map((file) => file.currentDownloads)).toEqual([0]);
  await user.discard();
});
