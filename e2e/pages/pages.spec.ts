// The prerendered pages for search engines, link previews and readers without JavaScript, in every language; then how
// they hydrate, navigate and work offline.
import { readFile } from 'node:fs/promises';
import { LISTED_SCREENS, type Screen, screenKey, screenPath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { compileMarkdown, limitsIn } from '../../apps/web/build/markdown.ts';
import {
  type Content,
  type ContentNode,
  type Question,
  questionsOf,
  textOf,
} from '../../apps/web/src/screens/content/content.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';
import { waitForHydration } from '../support/user-actions.ts';

const allMatches = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => value);
const onlyMatch = (html: string, pattern: RegExp) => {
  const found = allMatches(html, pattern);
  expect(found, String(pattern)).toHaveLength(1);
  return found[0] ?? '';
};

const SOME_TEXT: unknown = expect.stringMatching(/\S{2}/u);

/** All fields that Google's documentation requires for each kind of page, named as in schema.org. */
function structuredData(screen: Screen, questions: readonly Question[]): object {
  switch (screenKey(screen)) {
    case 'home':
      return {
        '@type': 'WebApplication',
        applicationCategory: 'UtilitiesApplication',
        operatingSystem: 'Any',
        browserRequirements: SOME_TEXT,
        isAccessibleForFree: true,
        offers: { '@type': 'Offer', price: '0', priceCurrency: expect.stringMatching(/^[A-Z]{3}$/u) as unknown },
      };
    case 'faq':
      return {
        '@type': 'FAQPage',
        mainEntity: questions.map(({ question, answer }) => ({
          '@type': 'Question',
          name: question,
          acceptedAnswer: { '@type': 'Answer', text: answer },
        })),
      };
    case 'contact':
      return { '@type': 'ContactPage' };
    default:
      return { '@type': 'WebPage' };
  }
}

/** The source of a page, compiled as in the build. */
async function contentOf(language: string, page: string): Promise<Content> {
  const source = await readFile(new URL(`../../apps/web/content/${language}/${page}.md`, import.meta.url), 'utf8');
  return compileMarkdown(source, limitsIn(language));
}

/** Settings of the instance are requested later. */
const hasLiveText = (node: ContentNode): boolean =>
  typeof node === 'object' && (node.tag === 'live' || node.children.some(hasLiveText));

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };
const plain = (html: string) =>
  html.replaceAll(/<[^>]*>/gu, '').replaceAll(/&([\w#]+);/gu, (_, name: string) => ENTITIES[name] ?? '?');

for (const language of languages) {
  test(`every page is complete without JavaScript in ${language}`, async ({ server }) => {
    const seen = new Set<string>();
    for (const screen of LISTED_SCREENS) {
      const address = server.url + screenPath(screen, language);
      const response = await fetch(address);
      expect(response.status).toBe(200);
      expect(response.headers.get('x-robots-tag')).toBeNull();
      const html = await response.text();
      expect(onlyMatch(html, /<html[^>]* lang="([^"]*)"/gu)).toBe(language);
      const title = plain(onlyMatch(html, /<title[^>]*>([^<]*)</gu));
      const description = plain(onlyMatch(html, /<meta [^>]*name="description" content="([^"]*)"/gu));
      expect(description.length).toBeGreaterThan(20);
      seen.add(title).add(description);
      expect(onlyMatch(html, /<link [^>]*rel="canonical" href="([^"]*)"/gu)).toBe(screenPath(screen, language));
      expect(allMatches(html, /<link [^>]*rel="alternate" hreflang="[^"]*" href="([^"]*)"/gu)).toEqual([
        ...languages.map((code) => screenPath(screen, code)),
        screenPath(screen),
      ]);
      expect(allMatches(html, /rel="alternate" hreflang="([^"]*)"/gu)).toEqual([...languages, 'x-default']);
      const content = screen.name === 'content' ? await contentOf(language, screen.page) : undefined;
      expect(JSON.parse(onlyMatch(html, /<script [^>]*type="application\/ld\+json">([^<]*)</gu))).toEqual({
        '@context': 'https://schema.org',
        name: screen.name === 'home' ? 'Furoshiki' : title,
        description,
        url: screenPath(screen, language),
        inLanguage: language,
        isPartOf: { '@type': 'WebSite', '@id': '/#site', name: 'Furoshiki', url: '/' },
        ...structuredData(screen, content ? questionsOf(content) : []),
      });
      const image = onlyMatch(html, /property="og:image" content="([^"]*)"/gu);
      expect((await fetch(server.url + image)).headers.get('content-type')).toBe('image/png');
      const text = plain(html.split('<main')[1] ?? '');
      expect(text.length, screenKey(screen)).toBeGreaterThan(30);
      if (!content) continue;
      expect([title, description]).toEqual([`${content.title} — Furoshiki`, content.description]);
      // Drawings have only a text alternative.
      const blocks = content.body.filter(
        (node) => typeof node === 'object' && node.tag !== 'drawing' && !hasLiveText(node),
      );
      expect(blocks.length).toBeGreaterThan(8);
      for (const expected of [content.title, ...blocks.map((block) => textOf([block]))])
        expect(text).toContain(expected);
    }
    // Every page has a title and a description that no other page has.
    expect(seen.size).toBe(2 * LISTED_SCREENS.length);
  });
}

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('screens that need it say so in every language, instead of getting ready for ever', async ({ page, server }) => {
    for (const language of languages) {
      const { loading, noScript } = messages[language].startUp;
      for (const path of ['', '/contact']) {
        await page.goto(`${server.url}/${language}${path}`);
        // Playwright finds no text in it.
        await expect(page.locator('main noscript > div')).toBeVisible();
        expect(await page.locator('main noscript').innerText()).toBe(noScript);
        await expect(page.getByText(loading)).toBeHidden();
      }
    }
  });

  test('the page of all other addresses says so in all languages, with a link to each', async ({ page, server }) => {
    for (const path of ['/', '/faq', `/en/download/${'A'.repeat(22)}`, '/nowhere']) {
      await page.goto(server.url + path);
      for (const language of languages) {
        const text = page.locator(`noscript > p[lang="${language}"]`);
        await expect(text).toBeVisible();
        const { startUp, nav } = messages[language];
        expect(await text.innerText()).toBe(`Furoshiki: ${startUp.noScript} ${nav.legal}`);
        await expect(text.locator('a').first()).toHaveAttribute('href', `./${language}`);
        await expect(text.locator('a').last()).toHaveAttribute('href', `./api/legal-notice/${language}`);
      }
    }
  });
});

test.describe('a reader without JavaScript', () => {
  test.use({ javaScriptEnabled: false });

  test('learns from every legal page who runs the server', async ({ page }) => {
    const server = await ServerProcess.start({
      OPERATOR_NAME: 'Example Ltd',
      OPERATOR_COURT: 'Reykjavík District Court',
    });
    for (const language of languages)
      for (const name of ['privacy', 'terms', 'legal-notice']) {
        await page.goto(`${server.url}/${language}/${name}`);
        await page.locator('noscript a').click();
        await expect(page).toHaveURL(`${server.url}/api/legal-notice/${language}`);
        await expect(page.getByRole('listitem').filter({ hasText: 'Example Ltd' })).toBeVisible();
        await expect(page.getByRole('listitem').filter({ hasText: 'Reykjavík District Court' })).toBeVisible();
        await expect(page.getByRole('heading', { level: 1 })).toHaveText(messages[language].nav.legal);
      }
    await server.discard();
  });
});

test('download pages and pages that do not exist are not indexed', async ({ server }) => {
  for (const [path, status] of [
    [`/en/download/${'A'.repeat(22)}`, 200],
    ['/en/nowhere', 404],
  ] as const) {
    const response = await fetch(server.url + path);
    expect([response.status, response.headers.get('x-robots-tag')]).toEqual([status, 'noindex']);
    expect(await response.text()).not.toMatch(/rel="canonical"|og:url|ld\+json/u);
  }
});

test('the app makes the addresses of the head absolute', async ({ page, server }) => {
  await page.goto(`${server.url}/en/faq`);
  await expect(page.locator('link[rel="canonical"]')).toHaveAttribute('href', `${server.url}/en/faq`);
  await expect(page.locator('link[hreflang="de"]')).toHaveAttribute('href', `${server.url}/de/faq`);
  await expect(page.locator('meta[property="og:url"]')).toHaveAttribute('content', `${server.url}/en/faq`);
  await expect(page.locator('meta[property="og:image"]')).toHaveAttribute('content', `${server.url}/social/en.png`);
  const data = await page.locator('script[type="application/ld+json"]').textContent();
  expect(JSON.parse(data ?? '')).toMatchObject({ url: `${server.url}/en/faq`, isPartOf: { url: `${server.url}/` } });
});

test('full link previews have the address of the site at once', async () => {
  const origin = 'https://files.example.org';
  const server = await ServerProcess.start({ PUBLIC_ORIGIN: origin, FULL_PREVIEWS: 'true', BASE_PATH: '/x' });
  const html = await (await fetch(`${new URL(server.url).origin}/x/en/faq`)).text();
  expect(onlyMatch(html, /property="og:image" content="([^"]*)"/gu)).toBe(`${origin}/x/social/en.png`);
  expect(onlyMatch(html, /rel="canonical" href="([^"]*)"/gu)).toBe(`${origin}/x/en/faq`);
  expect(html).toContain(`"@id":"${origin}/x/#site"`);
  await server.discard();
});

test('the document head is updated by each navigation', async ({ page, server }) => {
  await page.goto(`${server.url}/en/faq`);
  await page.getByRole('contentinfo').getByRole('link', { name: 'Terms' }).click();
  await expect(page).toHaveTitle(/^Terms of service/u);
  const terms = await contentOf('en', 'terms');
  await expect(page.locator('meta[name="description"]')).toHaveAttribute('content', terms.description);
  await expect(page.locator('meta[name="keywords"]')).toHaveAttribute('content', terms.keywords);
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  await expect(page.locator('link[rel="canonical"]')).toHaveAttribute('href', `${server.url}/en/terms`);
  await expect(page.locator('script[type="application/ld+json"]')).toHaveCount(1);
  await expect(page.locator('link[rel="alternate"]')).toHaveCount(languages.length + 1);
  await page.getByRole('contentinfo').getByRole('link', { name: 'FAQ' }).click();
  await expect(page).toHaveTitle(/^Frequently asked/u);
  expect(await page.locator('script[type="application/ld+json"]').textContent()).toContain('FAQPage');
});

// React logs hydration mismatches as console errors, for which the fixture fails the test.
for (const language of languages) {
  test(`every page hydrates without changes and fits a phone in ${language}`, async ({ page, server }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const screen of LISTED_SCREENS) {
      await page.goto(server.url + screenPath(screen, language));
      const before = await page.locator('article').evaluateAll(([article]) => article?.textContent);
      await waitForHydration(page);
      for (const width of [320, 390]) {
        await page.setViewportSize({ width, height: 844 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      }
      if (screen.name === 'content' && !(await contentOf(language, screen.page)).body.some(hasLiveText))
        expect(await page.locator('article').textContent()).toBe(before);
    }
  });
}

test('while there is a network, the service worker answers no request of a page', async ({ page, server }) => {
  await page.goto(`${server.url}/en`);
  await page.evaluate(async () => {
    const { serviceWorker } = navigator;
    if (!serviceWorker.controller)
      await new Promise((resolve) => {
        serviceWorker.addEventListener('controllerchange', resolve, { once: true });
      });
  });
  const responses: [path: string, isFromServiceWorker: boolean][] = [];
  page.on('response', (response) => responses.push([new URL(response.url()).pathname, response.fromServiceWorker()]));
  await page.goto(`${server.url}/en/faq`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(responses.map(([path]) => path)).toEqual(
    expect.arrayContaining(['/en/faq', '/theme.js', expect.stringMatching(/^\/assets\/app-/u)]),
  );
  expect(responses.filter(([, isFromServiceWorker]) => isFromServiceWorker)).toEqual([]);
});

test('cached pages can be read offline, and say that the browser is offline', async ({ page, context }) => {
  const server = await ServerProcess.start();
  await page.goto(`${server.url}/de`);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while ((await (await caches.open('kept-pages /')).match('offline/de.json')) === undefined)
      await new Promise((resolve) => setTimeout(resolve, 50));
  });
  await context.setOffline(true);
  await page.goto(`${server.url}/de/faq`);
  await expect(page.getByRole('heading', { name: 'Häufige Fragen' })).toBeVisible();
  await expect(page.getByText('Sie sind offline.')).toContainText('Diese Seiten können Sie weiterhin lesen.');
  await page.getByRole('contentinfo').getByRole('link', { name: 'Datenschutz' }).click();
  await expect(page.getByRole('heading', { name: 'Datenschutzerklärung' })).toBeVisible();
  for (const path of ['/de', '/faq', `/de/download/${'A'.repeat(22)}`]) {
    await page.goto(server.url + path);
    await expect(page.getByText('Sie sind offline.')).toBeVisible();
  }
  // A language that was never visited is not cached, so the message is in English, which always is.
  await page.goto(`${server.url}/fr/faq`);
  await expect(page.getByText('This page didn’t load.')).toBeVisible();
  await server.discard();
});

test('a tab that stays open during an upgrade has all workers already', async ({ page }) => {
  const server = await ServerProcess.start();
  const cached = (await (await fetch(`${server.url}/offline/en.json`)).json()) as string[];
  const workers = cached.filter((path) => path.includes('.worker-')).map((path) => /(\w+)\.worker-/u.exec(path)?.[1]);
  expect(new Set(workers)).toEqual(new Set(['fetch', 'folder', 'preview', 'staging', 'upload']));
  // A service worker that was terminated reports a stream that it no longer knows.
  await page.goto(`${server.url}/en`);
  const result = await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 50));
    const message = new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('message', ({ data }) => resolve(data), { once: true });
    });
    const { status } = await fetch('saving/nothing');
    return [status, await message];
  });
  expect(result).toEqual([204, { lostPath: '/saving/nothing' }]);
  await server.discard();
});

test('requests of our workers do not pass through the service worker of the site', async ({ page }) => {
  const server = await ServerProcess.start();
  await page.goto(`${server.url}/en`);
  const serviceWorkerFor = (path: string) =>
    page.evaluate(async (address) => {
      const registration = await navigator.serviceWorker.getRegistration(address);
      return registration?.active?.scriptURL.split('/').at(-1);
    }, path);
  // The registration with the longest matching scope controls a page, and a worker as well.
  await expect.poll(() => serviceWorkerFor('/en')).toBe('save.worker.js');
  await expect.poll(() => serviceWorkerFor('/assets/upload.worker.js')).toBe('bystander.js');
  await server.discard();
});
