// A whole hand-over with a collector of the test's own: what it is told, and that it is told nothing else.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchFile, type GivenFile, openPage, send } from './support/people.ts';
import { ServerProcess } from './support/server-process.ts';
import { expect, test } from './support/test.ts';

const SECRET_NAME = 'merger-plan.txt';
const FILE: GivenFile = { name: SECRET_NAME, mimeType: 'text/plain', buffer: Buffer.from('quarterly figures') };

interface Told {
  name: string;
  url: string;
  domain: string;
  props: Record<string, string>;
}

async function startCollector() {
  const bodies: string[] = [];
  const others: string[] = [];
  const collector = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    if (request.url !== '/api/event') others.push(`${request.method} ${request.url}`);
    if (request.headers.cookie !== undefined || request.headers.referer !== undefined)
      others.push('a cookie or a referrer');
    let body = '';
    request
      .on('data', (bytes) => (body += String(bytes)))
      .on('end', () => {
        bodies.push(body);
        response.end();
      });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  return {
    url,
    bodies,
    others,
    told: () => bodies.map((body) => JSON.parse(body) as Told),
    close: () => collector.close(),
  };
}

test('a collector is told the pages and the events of a hand-over, masked, and nothing else', async ({ page }) => {
  const collector = await startCollector();
  const server = await ServerProcess.start({
    ANALYTICS_SERVICE: 'plausible',
    ANALYTICS_URL: collector.url,
    ANALYTICS_ID: 'files.example.org',
  });
  const { link, key } = await send(page, server.url, [FILE]);
  await page.goto(`${server.url}/en/security`);
  // The heading is there at once; what is told comes from the page that is alive.
  await expect(page.locator('input[type="radio"]').first()).toBeAttached();
  await openPage(page, { link, key });
  await fetchFile(page, SECRET_NAME);
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  // An upload that fails is told by its kind alone.
  await page.goto(`${server.url}/en`);
  await page.route('**/api/upload/init', (route) =>
    route.fulfill({ status: 413, json: { errorCode: 'FILE_TOO_LARGE', error: 'x', message: 'x' } }),
  );
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Choose files' }).click();
  await (await choosing).setFiles(FILE);
  await page.getByRole('button', { name: 'Start upload' }).click();

  await expect
    .poll(() => new Set(collector.told().map(({ name }) => name)))
    .toEqual(
      new Set([
        'pageview',
        'file_upload_completed',
        'share_link_created',
        'secure_info_action',
        'file_download_completed',
        'error_occurred',
      ]),
    );
  const addresses = new Set(collector.told().map(({ url }) => url.slice(server.url.length)));
  expect(addresses).toEqual(new Set(['/en', '/en/download/:id', '/en/security']));
  for (const told of collector.told()) {
    expect(Object.keys(told).toSorted()).toEqual(['domain', 'name', 'props', 'url']);
    expect(told.domain).toBe('files.example.org');
    for (const fact of Object.keys(told.props)) expect(['during', 'category', 'page', 'as']).toContain(fact);
  }
  const everything = collector.bodies.join('\n');
  for (const secret of [SECRET_NAME, key, link.split('/').at(-1) ?? '?']) expect(everything).not.toContain(secret);
  expect(collector.others).toEqual([]);

  await page.goto(`${server.url}/en/privacy`);
  await expect(page.getByText(`measuring is switched on: plausible, at ${new URL(collector.url).host}`)).toBeVisible();
  collector.close();
  await server.discard();
});

test('who asks not to be tracked is not, and by default nobody is', async ({ browser }) => {
  const collector = await startCollector();
  const counting = { ANALYTICS_SERVICE: 'umami', ANALYTICS_URL: collector.url, ANALYTICS_ID: 'x' };
  const server = await ServerProcess.start(counting);
  const context = await browser.newContext();
  await context.addInitScript(() => Object.defineProperty(navigator, 'globalPrivacyControl', { value: true }));
  const page = await context.newPage();
  await page.goto(`${server.url}/en/security`);
  await expect(page.locator('input[type="radio"]').first()).toBeAttached();
  await page.waitForLoadState('networkidle');
  expect(collector.bodies).toEqual([]);
  await context.close();
  await server.discard();
  collector.close();

  const silent = await ServerProcess.start();
  const { headers } = await fetch(`${silent.url}/en`);
  expect(headers.get('content-security-policy')).toContain("connect-src 'self';");
  expect(await (await fetch(`${silent.url}/api/config`)).json()).toMatchObject({ analytics: null });
  await silent.discard();
});
