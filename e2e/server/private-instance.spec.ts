// An instance that requires a token for uploads and allows unencrypted ones.
import { randomBytes } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { chooseFiles, downloadFile, sha256, sha256Of } from '../support/user-actions.ts';
import { ServerProcess } from '../support/server-process.ts';

const TOKEN = 'a shared upload token with spaces, and a comma';
const FILE = { name: 'open letter.txt', mimeType: 'text/plain', buffer: randomBytes(100_000) };

let server: ServerProcess;
test.beforeAll(async () => {
  server = await ServerProcess.start({ UPLOAD_TOKEN: TOKEN, ALLOW_UNENCRYPTED: 'true' });
});
test.afterAll(() => server.discard());

test('asks for the upload token, and sends unencrypted only if the sender chose that', async ({ page, browser }) => {
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [FILE]);
  await page.getByRole('checkbox', { name: /Encrypt the files/u }).uncheck();
  await page.getByRole('textbox', { name: 'Upload token' }).fill('a guess');
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect(page.getByText('You can’t upload here.')).toBeVisible();

  await page.getByRole('textbox', { name: 'Upload token' }).fill(TOKEN);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect(page.getByText('Wrapped and ready')).toBeVisible();
  await expect(page.getByRole('group', { name: 'Key', exact: true })).toBeHidden();

  const recipient = await (await browser.newContext()).newPage();
  await recipient.goto(page.url());
  expect(await sha256Of(await downloadFile(recipient, FILE.name))).toBe(sha256(FILE.buffer));
});
