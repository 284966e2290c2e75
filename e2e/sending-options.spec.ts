// What a sender decides is what the server keeps to.
import { chooseFiles, readHandover } from './support/people.ts';
import { expect, test } from './support/test.ts';

const DAY_SECONDS = 24 * 3600;

test('files live as many days, and may be had as often, as their sender chose and typed', async ({ page, server }) => {
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, [{ name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') }]);
  await page.getByRole('radio', { name: '2 days' }).check({ force: true });
  await page.getByRole('spinbutton', { name: 'Another number, 1 to 100' }).fill('42');
  const startedAt = Math.floor(Date.now() / 1000);
  await page.getByRole('button', { name: 'Start upload' }).click();
  const { link } = await readHandover(page);
  const endedAt = Math.ceil(Date.now() / 1000);

  const response = await fetch(`${server.url}/api/download/page/${link.split('/').at(-1)}`);
  const { files } = (await response.json()) as { files: { maxDownloads: number; expiresAt: number }[] };
  expect(files.map(({ maxDownloads }) => maxDownloads)).toEqual([42]);
  const expiresAt = files[0]?.expiresAt ?? 0;
  expect(expiresAt).toBeGreaterThanOrEqual(startedAt + 2 * DAY_SECONDS);
  expect(expiresAt).toBeLessThanOrEqual(endedAt + 2 * DAY_SECONDS);

  await page.goto(link);
  await expect(page.getByText('42 downloads left')).toBeVisible();
});
