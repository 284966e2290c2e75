// What is in view on small screens, and what forced colours leave to see.
import { languages } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { expect, test } from 'vitest';
import { cdp, page } from 'vitest/browser';
import { renderApp } from '../../../testing/render-app.tsx';
import { button, chooseFiles, fileOf, press } from '../../../testing/user.ts';

const SEVEN = Array.from({ length: 7 }, (_, n) => fileOf(`picture ${n}.jpg`));

test.each([
  [1280, 720],
  [844, 390],
  [390, 844],
  [320, 568],
])('at %i × %i, Start and then the progress with Cancel are in view', async (width, height) => {
  await page.viewport(width, height);
  const { bytes } = await renderApp('/en');
  bytes.hold();
  await chooseFiles(SEVEN);
  scrollTo(0, 0);
  await expect.element(button('Start upload')).toBeInViewport({ ratio: 1 });
  scrollTo(0, document.body.scrollHeight);
  await press('Start upload');
  await expect.element(page.getByRole('progressbar')).toBeInViewport({ ratio: 1 });
  await expect.element(button('Cancel')).toBeInViewport({ ratio: 1 });
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
  await page.viewport(1280, 900);
});

test.each(languages)(
  'on phones the button to choose files is in view in %s, in the part that a thumb reaches',
  async (language) => {
    await renderApp(`/${language}`);
    const choose = page.getByRole('button', { name: messages[language].home.pick, exact: true });
    for (const [width, height] of [
      [320, 568],
      [360, 640],
      [390, 844],
    ] as const) {
      await page.viewport(width, height);
      scrollTo(0, 0);
      await expect.poll(() => choose.element().getBoundingClientRect().top).toBeGreaterThan(height / 2);
      await expect.element(choose).toBeInViewport({ ratio: 1 });
    }
    await page.viewport(1280, 900);
  },
);

test.each(languages)('there are at most 60 words before files are chosen in %s', async (language) => {
  await renderApp(`/${language}`);
  await expect.element(page.getByText(messages[language].home.alwaysEncrypted)).toBeVisible();
  const { innerText } = page.getByRole('main').element() as HTMLElement;
  const words = innerText.split(/\s+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  expect(words.length, words.join(' ')).toBeLessThanOrEqual(60);
});

test('the lock stays beside its text at 320 px', async () => {
  await page.viewport(320, 568);
  await renderApp('/en');
  const text = page.getByText('How your files are protected');
  await expect.element(page.getByText('Encryption is always on.')).toBeVisible();
  const lock = text.element().closest('div')?.parentElement?.querySelector('svg')?.getBoundingClientRect();
  const { top, bottom, left } = text.element().getBoundingClientRect();
  expect(lock?.right).toBeLessThanOrEqual(left);
  expect(lock?.top).toBeGreaterThanOrEqual(top);
  expect(lock?.bottom).toBeLessThanOrEqual(bottom);
  await page.viewport(1280, 900);
});

test('forced colours show what is chosen, and the progress', async () => {
  const emulate = (value: string) =>
    cdp().send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value }] });
  const backgroundOf = (element: Element | null | undefined) => element && getComputedStyle(element).backgroundColor;
  await emulate('active');
  const { bytes } = await renderApp('/en');
  bytes.hold();
  await chooseFiles(SEVEN);
  const option = (name: string) => backgroundOf(page.getByRole('radio', { name, exact: true }).element().parentElement);
  expect(option('1 day')).not.toBe(option('2 days'));
  const limit = page.getByRole('textbox', { name: 'Custom number' });
  const empty = backgroundOf(limit.element());
  await limit.fill('42');
  await expect.poll(() => backgroundOf(limit.element())).not.toBe(empty);
  await press('Start upload');
  await expect.element(page.getByRole('progressbar')).toBeVisible();
  const track = page.getByRole('progressbar').element().lastElementChild;
  expect(track && getComputedStyle(track).borderTopWidth).toBe('1px');
  expect(backgroundOf(track?.firstElementChild)).not.toBe(backgroundOf(track));
  await emulate('none');
});

test('a touch screen gets no hint about dropping', async () => {
  await renderApp('/en');
  const hint = page.getByText('Drop or paste them anywhere on this page');
  await expect.element(hint).toBeVisible();
  const rules = [...document.styleSheets].flatMap(({ cssRules }) => [...cssRules]);
  const touchOnly = rules.filter((rule) => rule instanceof CSSMediaRule && /any-pointer/u.test(rule.conditionText));
  const hides = (rule: CSSRule) => rule instanceof CSSStyleRule && hint.element().matches(rule.selectorText);
  expect(touchOnly.some((media) => [...(media as CSSMediaRule).cssRules].some(hides))).toBe(true);
});
