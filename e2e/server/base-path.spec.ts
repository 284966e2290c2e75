// An instance below a base path.
import { randomBytes } from 'node:crypto';
import { chooseFiles, downloadFile, openPage, send, sha256, sha256Of } from '../support/user-actions.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

const FILE = { name: 'note.bin', mimeType: '', buffer: randomBytes(100_000) };

test('everything works below a base path, and nothing is requested outside of it', async ({ page, context }) => {
  const server = await ServerProcess.start({ BASE_PATH: '/our/files' });
  expect(server.log).toBe(`Furoshiki serves ${server.url}\n`);
  const requested: string[] = [];
  context.on('request', (request) => requested.push(request.url()));

  await page.goto(server.url);
  await expect(page).toHaveURL(`${server.url}/en`);
  const share = await send(page, server.url, [FILE]);
  expect(share.link.startsWith(`${server.url}/en/download/`)).toBe(true);
  await openPage(page, share);
  expect(await sha256Of(await downloadFile(page, FILE.name))).toBe(sha256(FILE.buffer));

  await page.getByRole('button', { name: 'Language: English' }).click();
  await page.getByRole('link', { name: '日本語' }).click();
  await expect(page).toHaveURL(share.link.replace('/en/', '/ja/'));
  // The links change when the texts have arrived.
  await expect(page.locator('html')).toHaveAttribute('lang', 'ja');
  await page.getByRole('link', { name: 'Furoshiki' }).click();
  await expect(page).toHaveURL(`${server.url}/ja`);
  await expect(page.locator('header img')).toHaveJSProperty('naturalWidth', 150);
  expect((await page.goto(`${server.url}/ja/nowhere`))?.status()).toBe(404);

  // A change of language does not stop a transfer here either.
  let questions = 0;
  page.on('dialog', async (dialog) => {
    questions += 1;
    await dialog.dismiss();
  });
  await page.goto(`${server.url}/en`);
  await page.route('**/store/**', () => undefined);
  await chooseFiles(page, [FILE]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expect(page.getByRole('progressbar')).toBeVisible();
  await page.getByRole('button', { name: 'Language: English' }).click();
  await page.getByRole('link', { name: '日本語' }).click();
  await expect(page.getByRole('button', { name: 'キャンセル' })).toBeVisible();
  expect(questions).toBe(0);
  await page.getByRole('link', { name: 'よくある質問' }).click();
  await expect.poll(() => questions).toBe(1);
  await page.close({ runBeforeUnload: false });

  const outside = requested.filter((url) => !url.startsWith('blob:') && !`${url}/`.startsWith(`${server.url}/`));
  expect(outside).toEqual([]);
  expect(requested.length).toBeGreaterThan(20);
  await server.discard();
});
