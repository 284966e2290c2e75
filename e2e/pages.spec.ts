// What search engines, previews and readers without JavaScript get: each page of text in each language, as the server sends it.
import { LISTED_SCREENS, screenKey, screenPath } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { ServerProcess } from './support/server-process.ts';
import { expect, test } from './support/test.ts';

const attribute = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => value);
const one = (html: string, pattern: RegExp) => {
  const found = attribute(html, pattern);
  expect(found, String(pattern)).toHaveLength(1);
  return found[0] ?? '';
};

/** What Google's documentation requires of each kind, and schema.org calls the parts. */
function expectStructuredData(text: string, language: string, address: string): void {
  const data = JSON.parse(text) as Record<string, unknown>;
  expect(data).toMatchObject({ '@context': 'https://schema.org', inLanguage: language, url: address });
  expect(['WebApplication', 'FAQPage', 'WebPage', 'ContactPage']).toContain(data['@type']);
  for (const key of ['name', 'description']) expect(String(data[key]).length).toBeGreaterThan(3);
  if (data['@type'] !== 'FAQPage') return;
  const questions = data['mainEntity'] as Record<string, unknown>[];
  expect(questions.length).toBeGreaterThanOrEqual(12);
  for (const question of questions)
    expect(question).toEqual({
      '@type': 'Question',
      name: expect.stringMatching(/\S{2}/u) as unknown,
      acceptedAnswer: { '@type': 'Answer', text: expect.stringMatching(/\S{5}/u) as unknown },
    });
}

for (const language of languages) {
  test(`every page is whole without JavaScript in ${language}`, async ({ server }) => {
    const seen = new Set<string>();
    for (const screen of LISTED_SCREENS) {
      const address = server.url + screenPath(screen, language);
      const response = await fetch(address);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-robots-tag')).toBeNull();
      const html = await response.text();
      expect(one(html, /<html[^>]* lang="([^"]*)"/gu)).toBe(language);
      const title = one(html, /<title[^>]*>([^<]*)</gu);
      const description = one(html, /<meta [^>]*name="description" content="([^"]*)"/gu);
      expect(description.length).toBeGreaterThan(20);
      seen.add(title).add(description);
      expect(one(html, /<link [^>]*rel="canonical" href="([^"]*)"/gu)).toBe(address);
      expect(attribute(html, /<link [^>]*rel="alternate" hreflang="[^"]*" href="([^"]*)"/gu)).toEqual([
        ...languages.map((code) => server.url + screenPath(screen, code)),
        server.url + screenPath(screen),
      ]);
      expect(attribute(html, /rel="alternate" hreflang="([^"]*)"/gu)).toEqual([...languages, 'x-default']);
      expectStructuredData(one(html, /<script [^>]*type="application\/ld\+json">([^<]*)</gu), language, address);
      const image = one(html, /property="og:image" content="([^"]*)"/gu);
      expect((await fetch(image)).headers.get('content-type')).toBe('image/png');
      const [, body = ''] = html.split('<main');
      const text = body.replaceAll(/<[^>]*>/gu, ' ');
      expect(text.length, screenKey(screen)).toBeGreaterThan(screen.name === 'content' ? 900 : 30);
    }
    // No page borrows the title or the description of another.
    expect(seen.size).toBe(2 * LISTED_SCREENS.length);
  });
}

test('downloads and pages that do not exist are for nobody to list', async ({ server }) => {
  for (const [path, status] of [
    [`/en/download/${'A'.repeat(22)}`, 200],
    ['/en/nowhere', 404],
  ] as const) {
    const response = await fetch(server.url + path);
    expect([response.status, response.headers.get('x-robots-tag')]).toEqual([status, 'noindex']);
    const html = await response.text();
    expect(html).toContain('name="robots" content="noindex, nofollow"');
    expect(html).not.toContain('rel="canonical"');
  }
});

test('the head follows each navigation, without a flash of another page', async ({ page, server }) => {
  await page.goto(`${server.url}/en/faq`);
  await page.getByRole('contentinfo').getByRole('link', { name: 'Terms' }).click();
  await expect(page).toHaveTitle(/^Terms of service/u);
  await expect(page.locator('link[rel="canonical"]')).toHaveAttribute('href', `${server.url}/en/terms`);
  await expect(page.locator('script[type="application/ld+json"]')).toHaveCount(1);
  await expect(page.locator('link[rel="alternate"]')).toHaveCount(10);
  await page.getByRole('contentinfo').getByRole('link', { name: 'FAQ' }).click();
  await expect(page).toHaveTitle(/^Frequently asked/u);
  expect(await page.locator('script[type="application/ld+json"]').textContent()).toContain('FAQPage');
});

// The fixture has no patience for an error in the console: React tells there what it had to draw anew.
for (const language of languages) {
  test(`every page comes alive as it was written, and fits a phone, in ${language}`, async ({ page, server }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const screen of LISTED_SCREENS) {
      await page.goto(server.url + screenPath(screen, language));
      const before = await page.locator('article').evaluateAll(([article]) => article?.textContent);
      // The settings are there only once the page is alive.
      await expect(page.locator('input[type="radio"]').first()).toBeAttached();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
      if (screen.name === 'content' && screen.page !== 'privacy')
        expect(await page.locator('article').textContent()).toBe(before);
    }
  });
}

test('pages that were kept can be read without a network, and say that there is none', async ({ page, context }) => {
  const server = await ServerProcess.start();
  await page.goto(`${server.url}/de`);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while ((await (await caches.open('kept-pages')).match('offline/de.json')) === undefined)
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await context.setOffline(true);
  await page.goto(`${server.url}/de/faq`);
  await expect(page.getByRole('heading', { name: 'Häufige Fragen' })).toBeVisible();
  await expect(page.getByText('Sie sind offline.')).toBeVisible();
  await page.getByRole('contentinfo').getByRole('link', { name: 'Datenschutz' }).click();
  await expect(page.getByRole('heading', { name: 'Datenschutzerklärung' })).toBeVisible();
  await page.goto(`${server.url}/de/download/${'A'.repeat(22)}`);
  await expect(page.getByText('Sie sind offline.')).toBeVisible();
  await server.discard();
});
