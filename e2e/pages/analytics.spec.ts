// Uploads and downloads with a fake analytics service: exactly which events each service receives, and nothing else.
import { ANALYTICS_EVENTS, ANALYTICS_SERVICES } from '@furoshiki/api';
import type { Page } from '@playwright/test';
import { sortEvents, SITE_ID, startCollector, type CollectedEvent } from '../support/analytics-collector.ts';
import {
  chooseFiles,
  downloadFile,
  type FileToSend,
  pageFiles,
  readShare,
  waitForHydration,
} from '../support/user-actions.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

const [FIRST, ...OTHERS] = ANALYTICS_SERVICES;
const SECRET_NAME = 'merger-plan.txt';
const FILE: FileToSend = { name: SECRET_NAME, mimeType: 'text/plain', buffer: Buffer.from('quarterly figures') };
const HOME = '/en';
const DOWNLOAD = '/en/download/:id';

async function startWithAnalytics(service: string) {
  const collector = await startCollector();
  const server = await ServerProcess.start({
    ANALYTICS_SERVICE: service,
    ANALYTICS_URL: collector.url,
    ANALYTICS_ID: SITE_ID,
    ALLOW_UNENCRYPTED: 'true',
  });
  const expected: CollectedEvent[] = [];
  return {
    collector,
    server,
    /** Expects exactly these events in addition to those of all earlier calls. */
    async expectEvents(...added: [path: string, name: string, facts?: CollectedEvent['facts']][]): Promise<void> {
      expected.push(...added.map(([path, name, facts = {}]) => ({ path, name, facts })));
      await expect.poll(() => collector.events(service, server.url)).toEqual(sortEvents(expected));
    },
    async discard(): Promise<void> {
      collector.close();
      await server.discard();
    },
  };
}

/** Replaces the server's response with an error. */
async function refuse(page: Page, address: string, status: number, errorCode: string): Promise<void> {
  await page.route(address, (route) => route.fulfill({ status, json: { errorCode, error: 'x', message: 'x' } }));
}

test(`${FIRST} receives every kind of event, masked, and nothing else`, async ({ page, context }) => {
  const { collector, server, expectEvents, discard } = await startWithAnalytics(FIRST);
  const origins = new Set<string>();
  context.on('request', (request) => origins.add(new URL(request.url()).origin));

  await page.goto(`${server.url}${HOME}`);
  await expectEvents([HOME, 'pageview']);
  await chooseFiles(page, [FILE]);
  const encrypting = page.getByRole('checkbox', { name: /Encrypt the files/u });
  await encrypting.uncheck();
  await encrypting.check();
  await expectEvents([HOME, 'encryption_toggled', { to: 'off' }], [HOME, 'encryption_toggled', { to: 'on' }]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  const { link, key } = await readShare(page);
  const [file] = await pageFiles(server.url, link);
  await expectEvents([HOME, 'file_upload_completed'], [HOME, 'share_link_created'], [DOWNLOAD, 'pageview']);

  await page.goto(`${server.url}/en/security`);
  await expectEvents(['/en/security', 'pageview'], ['/en/security', 'secure_info_action', { page: 'security' }]);
  await page.getByRole('article').getByRole('link', { name: 'encryption' }).click();
  await expectEvents(
    ['/en/encryption-info', 'pageview'],
    ['/en/encryption-info', 'secure_info_action', { page: 'encryption-info' }],
  );

  await page.goto(`${link}#key=${encodeURIComponent(key)}`);
  await expect(page.getByText('The key fits.')).toBeVisible();
  await downloadFile(page, SECRET_NAME);
  await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
  await expectEvents([DOWNLOAD, 'pageview'], [DOWNLOAD, 'file_download_completed']);

  // A failure is reported with its category only.
  await refuse(page, `**/api/download/${file?.id}`, 403, 'DOWNLOAD_LIMIT_REACHED');
  await page.goto('about:blank');
  await page.goto(`${link}#key=${encodeURIComponent(key)}`);
  await page.getByRole('button', { name: `Download ${SECRET_NAME}`, exact: true }).click();
  await expectEvents(
    [DOWNLOAD, 'pageview'],
    [DOWNLOAD, 'error_occurred', { during: 'download', category: 'limitReached' }],
  );
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Delete all files' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete all files' }).click();
  await expect(page.getByRole('heading', { name: 'There are no files here' })).toBeVisible();
  await refuse(page, '**/api/upload/init', 413, 'FILE_TOO_LARGE');
  await page.goto(`${server.url}${HOME}`);
  await chooseFiles(page, [FILE]);
  await page.getByRole('button', { name: 'Start upload' }).click();
  await expectEvents([HOME, 'pageview'], [HOME, 'error_occurred', { during: 'upload', category: 'fileTooLarge' }]);
  await page.goto(`${server.url}/en/${SECRET_NAME}`);
  await expectEvents(['/en/not-found', 'pageview']);

  const host = new URL(collector.url).host;
  await page.goto(`${server.url}/en/privacy`);
  await expect(page.getByText(`On this server, analytics are turned on: ${FIRST}, ${host}`)).toBeVisible();
  await expectEvents(['/en/privacy', 'pageview']);

  const names = collector.events(FIRST, server.url).map(({ name }) => name);
  expect(new Set(names)).toEqual(new Set(['pageview', ...ANALYTICS_EVENTS]));
  const collected = collector.allText();
  const pageId = link.split('/').at(-1) ?? '?';
  for (const secret of [key, encodeURIComponent(key), SECRET_NAME, 'merger', pageId, file?.id ?? '?', '#'])
    expect(collected).not.toContain(secret);
  expect(collected).not.toMatch(/"(?:cookie|referer|authorization)"/u);
  expect([...origins].filter((origin) => origin.startsWith('http')).toSorted()).toEqual(
    [server.url, collector.url].toSorted(),
  );
  await discard();
});

// The screens do not know the service, so a short visit proves that each service receives its own format.
for (const service of OTHERS) {
  test(`${service} receives page views, events and their facts`, async ({ page }) => {
    const { server, expectEvents, discard } = await startWithAnalytics(service);
    await page.goto(`${server.url}${HOME}`);
    await chooseFiles(page, [FILE]);
    await page.getByRole('checkbox', { name: /Encrypt the files/u }).uncheck();
    await expectEvents([HOME, 'pageview'], [HOME, 'encryption_toggled', { to: 'off' }]);
    await discard();
  });
}

test('does not track a browser that sends Do Not Track or Global Privacy Control', async ({ browser }) => {
  const { collector, server, expectEvents, discard } = await startWithAnalytics('plausible');
  for (const [signal, value] of [
    ['doNotTrack', '1'],
    ['globalPrivacyControl', true],
  ] as const) {
    const context = await browser.newContext();
    await context.addInitScript(([name, given]) => Object.defineProperty(navigator, name, { value: given }), [
      signal,
      value,
    ] as const);
    const page = await context.newPage();
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(`${server.url}${HOME}`);
    await chooseFiles(page, [FILE]);
    await page.getByRole('checkbox', { name: /Encrypt the files/u }).uncheck();
    await page.getByRole('button', { name: 'Start upload' }).click();
    await expect(page.getByText('Wrapped and ready')).toBeVisible();
    await page.goto(`${server.url}/en/security`);
    await waitForHydration(page);
    expect(requested.filter((url) => url.startsWith(collector.url))).toEqual([]);
    await context.close();
  }
  // A browser without such a signal is counted on the same site, so the signal was the reason.
  const page = await browser.newPage();
  await page.goto(`${server.url}/en/faq`);
  await expectEvents(['/en/faq', 'pageview']);
  await page.close();
  await discard();
});

test('the CSP allows connections to the configured service only, and to none if none is configured', async ({
  browser,
}) => {
  const { collector, server, discard } = await startWithAnalytics('umami');
  const other = await startCollector();
  expect(await connectSrcOf(server.url)).toBe(`'self' ${collector.url}`);
  const page = await browser.newPage();
  await page.goto(`${server.url}/en/faq`);
  const reaches = (url: string) =>
    page.evaluate(
      (address) =>
        fetch(address).then(
          () => true,
          () => false,
        ),
      url,
    );
  expect([await reaches(collector.url), await reaches(other.url)]).toEqual([true, false]);
  expect(other.allText()).toBe('');
  await page.close();
  other.close();
  await discard();

  const silent = await ServerProcess.start();
  expect(await connectSrcOf(silent.url)).toBe("'self'");
  expect(await (await fetch(`${silent.url}/api/config`)).json()).toMatchObject({ analytics: null });
  await silent.discard();
});

async function connectSrcOf(url: string): Promise<string | undefined> {
  const { headers } = await fetch(`${url}/en`);
  return /connect-src ([^;]*)/u.exec(headers.get('content-security-policy') ?? '')?.[1];
}
