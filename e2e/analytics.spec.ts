// Whole hand-overs with a collector of the test's own: what each kind of service is told, and that it is told nothing else.
import { ANALYTICS_EVENTS, ANALYTICS_SERVICES } from '@furoshiki/core';
import type { Page } from '@playwright/test';
import { inOrder, SITE_ID, startCollector, type Told } from './support/collector.ts';
import { chooseFiles, fetchFile, type GivenFile, pageFiles, readHandover } from './support/people.ts';
import { ServerProcess } from './support/server-process.ts';
import { expect, test } from './support/test.ts';

const SECRET_NAME = 'merger-plan.txt';
const FILE: GivenFile = { name: SECRET_NAME, mimeType: 'text/plain', buffer: Buffer.from('quarterly figures') };
const HOME = '/en';
const DOWNLOAD = '/en/download/:id';

async function startCounting(service: string) {
  const collector = await startCollector();
  const server = await ServerProcess.start({
    ANALYTICS_SERVICE: service,
    ANALYTICS_URL: collector.url,
    ANALYTICS_ID: SITE_ID,
    ALLOW_UNENCRYPTED: 'true',
  });
  const expected: Told[] = [];
  return {
    collector,
    server,
    /** What has been told since the site was opened is this and all of the above, to the last request. */
    async hasTold(...told: [path: string, name: string, facts?: Told['facts']][]): Promise<void> {
      expected.push(...told.map(([path, name, facts = {}]) => ({ path, name, facts })));
      await expect.poll(() => collector.told(service, server.url)).toEqual(inOrder(expected));
    },
    async discard(): Promise<void> {
      collector.close();
      await server.discard();
    },
  };
}

/** The server says no, as it would. */
async function refuse(page: Page, address: string, status: number, errorCode: string): Promise<void> {
  await page.route(address, (route) => route.fulfill({ status, json: { errorCode, error: 'x', message: 'x' } }));
}

for (const service of ANALYTICS_SERVICES) {
  test(`${service} is told the pages and the events of a hand-over, masked, and nothing else`, async ({
    page,
    context,
  }) => {
    const { collector, server, hasTold, discard } = await startCounting(service);
    const origins = new Set<string>();
    context.on('request', (request) => origins.add(new URL(request.url()).origin));

    await page.goto(`${server.url}${HOME}`);
    await hasTold([HOME, 'pageview']);
    await chooseFiles(page, [FILE]);
    const encrypting = page.getByRole('checkbox', { name: /Encrypt the files/u });
    await encrypting.uncheck();
    await encrypting.check();
    await hasTold([HOME, 'encryption_toggled', { to: 'off' }], [HOME, 'encryption_toggled', { to: 'on' }]);
    await page.getByRole('button', { name: 'Start upload' }).click();
    const { link, key } = await readHandover(page);
    const [file] = await pageFiles(server.url, link);
    await hasTold([HOME, 'file_upload_completed'], [HOME, 'share_link_created'], [DOWNLOAD, 'pageview']);

    await page.goto(`${server.url}/en/security`);
    await hasTold(['/en/security', 'pageview'], ['/en/security', 'secure_info_action', { page: 'security' }]);
    await page.getByRole('article').getByRole('link', { name: 'encryption' }).click();
    await hasTold(
      ['/en/encryption-info', 'pageview'],
      ['/en/encryption-info', 'secure_info_action', { page: 'encryption-info' }],
    );

    await page.goto(`${link}#key=${encodeURIComponent(key)}`);
    await expect(page.getByText('The key fits.')).toBeVisible();
    await fetchFile(page, SECRET_NAME);
    await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();
    await hasTold([DOWNLOAD, 'pageview'], [DOWNLOAD, 'file_download_completed']);

    // Failures are told by their kind alone.
    await refuse(page, `**/api/download/${file?.id}`, 403, 'DOWNLOAD_LIMIT_REACHED');
    await page.goto('about:blank');
    await page.goto(`${link}#key=${encodeURIComponent(key)}`);
    await page.getByRole('button', { name: `Download ${SECRET_NAME}`, exact: true }).click();
    await hasTold(
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
    await hasTold([HOME, 'pageview'], [HOME, 'error_occurred', { during: 'upload', category: 'fileTooLarge' }]);
    await page.goto(`${server.url}/en/${SECRET_NAME}`);
    await hasTold(['/en/not-found', 'pageview']);

    const host = new URL(collector.url).host;
    await page.goto(`${server.url}/en/privacy`);
    await expect(page.getByText(`measuring is switched on: ${service}, at ${host}.`)).toBeVisible();
    await hasTold(['/en/privacy', 'pageview']);

    const names = collector.told(service, server.url).map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(['pageview', ...ANALYTICS_EVENTS]));
    const everything = collector.everything();
    const pageID = link.split('/').at(-1) ?? '?';
    for (const secret of [key, encodeURIComponent(key), SECRET_NAME, 'merger', pageID, file?.id ?? '?', '#'])
      expect(everything).not.toContain(secret);
    expect(everything).not.toMatch(/"(?:cookie|referer|authorization)"/u);
    expect([...origins].filter((origin) => origin.startsWith('http')).toSorted()).toEqual(
      [server.url, collector.url].toSorted(),
    );
    await discard();
  });
}

test('who asks not to be tracked is not, in the old words and the new ones', async ({ browser }) => {
  const { collector, server, hasTold, discard } = await startCounting('plausible');
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
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${server.url}${HOME}`);
    await chooseFiles(page, [FILE]);
    await page.getByRole('checkbox', { name: /Encrypt the files/u }).uncheck();
    await page.getByRole('button', { name: 'Start upload' }).click();
    await expect(page.getByText('Your files are ready to be handed over.')).toBeVisible();
    await page.goto(`${server.url}/en/security`);
    await expect(page.locator('input[type="radio"]').first()).toBeAttached();
    expect(asked.filter((url) => url.startsWith(collector.url))).toEqual([]);
    await context.close();
  }
  // Whoever does not ask is counted on the same site: the silence was theirs.
  const page = await browser.newPage();
  await page.goto(`${server.url}/en/faq`);
  await hasTold(['/en/faq', 'pageview']);
  await page.close();
  await discard();
});

test('pages may speak to the service that is named and to nobody else, and to nobody where none is', async ({
  browser,
}) => {
  const { collector, server, discard } = await startCounting('umami');
  const other = await startCollector();
  expect(await mayConnectTo(server.url)).toBe(`'self' ${collector.url}`);
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
  expect(other.everything()).toBe('');
  await page.close();
  other.close();
  await discard();

  const silent = await ServerProcess.start();
  expect(await mayConnectTo(silent.url)).toBe("'self'");
  expect(await (await fetch(`${silent.url}/api/config`)).json()).toMatchObject({ analytics: null });
  await silent.discard();
});

async function mayConnectTo(url: string): Promise<string | undefined> {
  const { headers } = await fetch(`${url}/en`);
  return /connect-src ([^;]*)/u.exec(headers.get('content-security-policy') ?? '')?.[1];
}
