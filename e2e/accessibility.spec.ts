import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { chooseFiles, type GivenFile, openPage, readHandover, send } from './support/people.ts';
import { expect, test } from './support/test.ts';

const NOTE: GivenFile = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

async function expectNoViolation(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in ${colorScheme} colours`, () => {
    test.use({ colorScheme, viewport: { width: 390, height: 844 } });

    test('axe finds nothing on any screen, and nothing is wider than a phone', async ({ page, server }) => {
      const check = async () => {
        await expectNoViolation(page);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      };
      await page.goto(`${server.url}/en`);
      await chooseFiles(page, [NOTE, { ...NOTE, name: `${'a-very-long-name-'.repeat(12)}.txt` }]);
      await expect(page.getByText('Total: 10 B')).toBeVisible();
      await check();
      const handover = await send(page, server.url, [NOTE]);
      await check();
      await openPage(page, handover);
      await page.getByRole('textbox', { name: 'Key' }).fill('wrong');
      await expect(page.getByText('What may help')).toBeVisible();
      await check();
      await page.goto(`${server.url}/ja`);
      await expect(page.getByRole('heading', { name: 'ファイルを手渡す' })).toBeVisible();
      await check();
      await page.goto(`${server.url}/en/nowhere`);
      await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
      await check();
    });
  });
}

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

  // From here on a dialog is caught: asked for later, the key press could be faster.
  const choosing = page.waitForEvent('filechooser');
  await page.goto(`${server.url}/en`);
  await expect(page.getByRole('heading', { name: 'Hand over files' })).toBeVisible();
  await tabTo('Choose files');
  await page.keyboard.press('Enter');
  await (await choosing).setFiles(NOTE);
  await tabTo('1 day');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('radio', { name: '2 days' })).toBeChecked();
  await tabTo('Start upload');
  await page.keyboard.press('Enter');
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
});
