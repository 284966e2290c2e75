// The whole way from the first file to the saved one, with the keyboard alone; and the widths of other languages.
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeServices } from '../../testing/fake-services.ts';
import { renderApp } from '../../testing/render-app.tsx';
import { NARROW } from '../../testing/accessibility.ts';
import { button, chooseButton, chooseFiles, fileInputOf, fileOf, sendFiles } from '../../testing/user.ts';

function focusedName(): string | null | undefined {
  const element = document.activeElement;
  return element?.getAttribute('aria-label') ?? (element?.closest('label') ?? element)?.textContent;
}

async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 30; presses += 1) {
    await userEvent.tab();
    if (focusedName() === name) return;
  }
  throw new Error(`Tab never reaches ${name}`);
}

/** When the focused element is removed, the focus moves to what replaces it. */
async function expectFocusKept(): Promise<void> {
  await expect.poll(() => document.activeElement === document.body).toBe(false);
}

test('files can be chosen, removed and sent with the keyboard alone', async () => {
  await renderApp('/en');
  await expect.element(button('Choose files')).toBeVisible();
  let dialogs = 0;
  fileInputOf(chooseButton()).addEventListener('click', (event) => {
    event.preventDefault();
    dialogs += 1;
  });
  await tabTo('Choose files');
  await userEvent.keyboard('{Enter}');
  await expect.poll(() => dialogs).toBe(1);
  await chooseFiles([fileOf('note.txt'), fileOf('other.txt')]);
  await expect.element(page.getByText('2 files')).toBeVisible();
  await tabTo('Remove other.txt');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('1 file', { exact: true })).toBeVisible();
  await expectFocusKept();
  await tabTo('1 day');
  await userEvent.keyboard('{ArrowRight}');
  await expect.element(page.getByRole('radio', { name: '2 days' })).toBeChecked();
  await tabTo('Start upload');
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('Your files are ready to share.')).toBeVisible();
  await expectFocusKept();
  await tabTo('Show key');
  await userEvent.keyboard('{Enter}');
  await expect.element(button('Hide key')).toBeVisible();
});

test('a key can be typed and a file downloaded with the keyboard alone', async () => {
  const fake = createFakeServices();
  const { path, keyText } = await sendFiles(fake, [fileOf('note.txt')]);
  await renderApp(path, fake);
  await expect.element(page.getByRole('heading', { name: 'Files for you' })).toBeVisible();
  await tabTo('Show key');
  await userEvent.keyboard('{Shift>}{Tab}{/Shift}');
  await userEvent.keyboard(keyText);
  await expect.element(page.getByText('The key fits.')).toBeVisible();
  await tabTo('Download note.txt');
  await userEvent.keyboard('{Enter}');
  await expect.element(button('Saved')).toBeVisible();
  await expectFocusKept();
});

test.each(['de', 'ja'])('the screens in %s are not wider than a phone', async (language) => {
  const fake = createFakeServices();
  const { path } = await sendFiles(fake, [fileOf('note.txt'), fileOf(`${'a-very-long-name-'.repeat(12)}.txt`)]);
  await page.viewport(NARROW.width, NARROW.height);
  for (const address of ['/en', path, '/en/contact', '/en/nowhere']) {
    await renderApp(address.replace('/en', `/${language}`), fake);
    await expect.element(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(document.documentElement.scrollWidth, address).toBeLessThanOrEqual(NARROW.width);
  }
  await page.viewport(1280, 900);
});
