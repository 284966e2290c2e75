// The frame around every screen: what the header and the footer lead to.
import { languages } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { renderApp } from '../../testing/render-app.tsx';
import { click } from '../../testing/user.ts';

const header = page.getByRole('banner');
const footer = page.getByRole('contentinfo');

test('the header has the logo, the tagline, the languages and how to use the service', async () => {
  await renderApp('/en/faq');
  await expect.element(header.getByRole('link', { name: 'Furoshiki, start over' })).toHaveAttribute('href', 'en');
  await expect.element(header.getByRole('button', { name: 'Language: English' })).toBeVisible();
  await click(header.getByRole('link', { name: 'How to use' }));
  await expect.poll(() => location.pathname).toBe('/en/how-to-use');
});

test('on a narrow screen the languages are below the tagline', async () => {
  await page.viewport(390, 844);
  await renderApp('/en/faq');
  await expect.element(header).toBeVisible();
  const top = (element: Element) => element.getBoundingClientRect().top;
  const menu = header.getByRole('button', { name: 'Language: English' }).element();
  const tagline = header.getByRole('paragraph').element();
  expect(top(menu)).toBeGreaterThan(top(tagline));
  await page.viewport(1280, 900);
  await expect.poll(() => top(menu)).toBeLessThanOrEqual(top(tagline) + 40);
});

test.each(languages)('how to use the service is linked in the header at 320 px in %s', async (language) => {
  await page.viewport(320, 568);
  await renderApp(`/${language}/faq`);
  await expect.element(header.getByRole('link', { name: messages[language].nav.howTo })).toBeInViewport({ ratio: 1 });
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(320);
  await page.viewport(1280, 900);
});

test('the footer links to every page about the service', async () => {
  await renderApp('/en/faq');
  await expect.element(footer).toBeVisible();
  const links = footer.getByRole('link').all();
  expect(links.map((link) => link.element().getAttribute('href'))).toEqual(
    ['how-to-use', 'faq', 'security', 'encryption-info', 'contact', 'privacy', 'terms', 'legal-notice'].map(
      (path) => `en/${path}`,
    ),
  );
  await expect.element(footer.getByText(messages.en.app.footer)).toBeVisible();
  await expect.element(footer.getByText('© Furoshiki')).toBeVisible();
});
