import { randomBytes } from 'node:crypto';
import { chooseFiles, fetchFile, openPage, send, sha256, sha256Of } from './support/people.ts';
import { ServerProcess } from './support/server-process.ts';
import { expect, test } from './support/test.ts';

const FILE = { name: 'note.bin', mimeType: '', buffer: randomBytes(100_000) };

test('below a base path everything works, and nothing is asked for outside of it', async ({ page, context }) => {
  const server = await ServerProcess.start({ BASE_PATH: '/our/files' });
  expect(server.log).toBe(`Furoshiki serves ${server.url}\n`);
  const asked: string[] = [];
  context.on('request', (request) => asked.push(request.url()));

  await page.goto(server.url);
  await expect(page).toHaveURL(`${server.url}/en`);
  const handover = await send(page, server.url, [FILE]);
  expect(handover.link.startsWith(`${server.url}/en/download/`)).toBe(true);
  await openPage(page, handover);
  expect(await sha256Of(await fetchFile(page, FILE.name))).toBe(sha256(FILE.buffer));

  await page.getByRole('button', { name: 'Language: English' }).click();
  await page.getByRole('link', { name: '日本語' }).click();
  await expect(page).toHaveURL(handover.link.replace('/en/', '/ja/'));
  await page.getByRole('link', { name: 'Furoshiki' }).click();
  await expect(page).toHaveURL(`${server.url}/ja`);
  await expect(page.locator('header img')).toHaveJSProperty('naturalWidth', 150);
  expect((await page.goto(`${server.url}/ja/nowhere`))?.status()).toBe(404);

  // Nor does a transfer end with its language here.
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

  const outside = asked.filter((url) => !url.startsWith('blob:') && !`${url}/`.startsWith(`${server.url}/`));
  expect(outside).toEqual([]);
  expect(asked.length).toBeGreaterThan(20);
  await server.discard();
});
