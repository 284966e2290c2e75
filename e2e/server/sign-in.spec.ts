// People sign in to send, by the files of deploy/ for nginx and Caddy, with a real identity provider on another site.
import { randomBytes } from 'node:crypto';
import { request as requestHttps } from 'node:https';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { BrowserContext, Page } from '@playwright/test';
import { type MadeCertificate, makeCertificate } from '../../apps/server/testing/certificate.ts';
import { CHROMIUM_ARGS, findHeadlessChromium, findProgram } from '../../scripts/ensure-programs.mjs';
import { USER } from '../support/identity-provider.ts';
import { type SignInSite, startSignInSite, UPLOAD_TOKEN } from '../support/sign-in-site.ts';
import { expect, test } from '../support/test.ts';
import { chooseFiles, downloadFile, openPage, readShare, sha256, sha256Of } from '../support/user-actions.ts';

const FILES = ['one.bin', 'two.bin'].map((name) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: randomBytes(200_000),
}));
/** Each test starts five servers and a browser. */
const ALONE = { tag: '@alone' };
const PASS = '__Host-furoshiki-pass';
const INIT = {
  fileName: 'file-1',
  fileSize: 1000,
  contentType: '',
  totalParts: 1,
  downloadLimit: 1,
  isEncrypted: true,
};

let certificate: MadeCertificate;
test.beforeAll(async () => {
  certificate = await makeCertificate();
});
test.afterAll(() => certificate.discard());
// Not `ignoreHTTPSErrors` as in other tests: with that, Chromium refuses the service worker, which sees every navigation.
const args = [...CHROMIUM_ARGS, '--ignore-certificate-errors'];
test.use({ launchOptions: { executablePath: findHeadlessChromium() ?? '', args } });

async function withSite(
  proxy: 'nginx' | 'caddy',
  work: (site: SignInSite) => Promise<void>,
  options: Omit<Parameters<typeof startSignInSite>[1], 'certificate'> = {},
): Promise<void> {
  test.skip(findProgram(proxy) === undefined, `${proxy} is not installed`);
  const site = await startSignInSite(proxy, { certificate, ...options });
  try {
    await work(site);
  } finally {
    await site.discard();
  }
}

const notice = (page: Page) => page.getByText('Sign in to send files');

/** Chooses both files and starts to send them. */
async function startUpload(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/en`);
  await chooseFiles(page, FILES);
  await expect(page.getByRole('textbox', { name: 'Upload token' })).toBeHidden();
  await page.getByRole('button', { name: 'Start upload' }).click();
}

/** Follows the link of the notice. Returns the new tab, at the identity provider. */
async function openSignIn(page: Page): Promise<Page> {
  const opening = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Sign in', exact: true }).click();
  const tab = await opening;
  await expect(tab).toHaveTitle('Identity provider');
  return tab;
}

async function logIn(tab: Page): Promise<void> {
  await tab.getByLabel('Name').fill(USER.name);
  await tab.getByLabel('Password').fill(USER.password);
  await tab.getByRole('button', { name: 'Log in' }).click();
}

const passOf = async (context: BrowserContext) => (await context.cookies()).find(({ name }) => name === PASS);

for (const proxy of ['nginx', 'caddy'] as const) {
  test(
    `with ${proxy}, an upload waits for the sign-in in another tab, and recipients need none`,
    ALONE,
    async ({ page, context, browser }) => {
      await withSite(proxy, async ({ url, server, proxy: process }) => {
        await startUpload(page, url);
        await expect(notice(page)).toBeVisible();
        const tab = await openSignIn(page);
        // A wrong password leads nowhere.
        await tab.getByRole('button', { name: 'Log in' }).click();
        await expect(tab).toHaveTitle('Identity provider');
        expect(await passOf(context)).toBeUndefined();
        const closed = tab.waitForEvent('close');
        await logIn(tab);
        const share = await readShare(page);
        await closed;
        const pass = await passOf(context);
        expect(pass).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Strict', path: '/' });

        const recipient = await (await browser.newContext()).newPage();
        await openPage(recipient, share);
        for (const { name, buffer } of FILES)
          expect(await sha256Of(await downloadFile(recipient, name))).toBe(sha256(buffer));
        expect((await recipient.context().cookies()).map(({ name }) => name)).toEqual(['__Host-furoshiki']);
        await recipient.context().close();

        // The next upload needs no other sign-in while the pass lasts.
        const next = await context.newPage();
        await startUpload(next, url);
        await readShare(next);
        const logs = server.log + (await process.logs());
        for (const secret of [UPLOAD_TOKEN, pass?.value ?? '', USER.password]) expect(logs).not.toContain(secret);
      });
    },
  );

  test(
    `with ${proxy}, only people who have signed in get a pass, and only a pass or the token opens uploads`,
    ALONE,
    async ({ page, context }) => {
      await withSite(proxy, async ({ url }) => {
        const call = { name: 'initUpload', body: INIT };
        /** Returns the status of opening an upload, alone and in a batch. */
        const open = async (credentials: Record<string, string> = {}) => {
          const { cookie, token } = await securityToken(url);
          const headers = {
            'x-csrf-token': token,
            ...credentials,
            cookie: [cookie, credentials['cookie']].filter(Boolean).join('; '),
          };
          const alone = await send(url, '/api/upload/init', headers, INIT);
          const batch = await send(url, '/api/batch/calls', headers, { calls: [call, call] });
          const { responses } = batch.body as { responses: { status: number }[] };
          return [alone.status, ...responses.map(({ status }) => status)];
        };
        const ALL = (status: number) => [status, status, status];
        expect(await open()).toEqual(ALL(401));
        expect(await open({ cookie: `${PASS}=99999999999999.${'A'.repeat(43)}` })).toEqual(ALL(401));
        expect(await open({ 'x-upload-token': 'made up' })).toEqual(ALL(403));
        // So does the command line client.
        expect(await open({ 'x-upload-token': UPLOAD_TOKEN })).toEqual(ALL(200));

        // A stranger is sent away, whatever the request claims and however the address is written.
        const claims = [{}, { 'x-upload-token': 'made up' }, { 'x-upload-token': UPLOAD_TOKEN }];
        for (const claimed of claims) {
          const { status, headers } = await send(url, '/sign-in', claimed);
          expect([status, headers['set-cookie']]).toEqual([302, undefined]);
          expect(new URL(headers.location ?? '', url).pathname).toBe('/oauth2/start');
        }
        for (const path of [
          '/sign-in/',
          '//sign-in',
          '/SIGN-IN',
          '/%73ign-in',
          '/./sign-in',
          '/x/../sign-in',
          '/en/sign-in',
        ])
          expect((await send(url, path, {})).headers['set-cookie'], path).toBeUndefined();

        await page.goto(`${url}/sign-in`);
        await logIn(page);
        await expect(page.getByRole('heading', { name: 'You’re signed in' })).toBeVisible();
        const cookies = await context.cookies(url);
        const session = cookies.find(({ name }) => name === '__Host-oauth2-proxy')?.value ?? '';
        const pass = (await passOf(context))?.value ?? '';
        expect(await open({ cookie: `${PASS}=${pass}` })).toEqual(ALL(200));
        expect(await open({ cookie: `${PASS}=${pass.replace(/^./u, '9')}` })).toEqual(ALL(401));

        // The proxy replaces what a client claims on this page, and no cache may keep the response.
        const signedIn = { cookie: `__Host-oauth2-proxy=${session}`, 'x-upload-token': 'made up' };
        const { headers } = await send(url, '/sign-in', signedIn);
        expect(headers['set-cookie']).toEqual([expect.stringMatching(new RegExp(`^${PASS}=\\d+\\.[\\w-]{43};`, 'u'))]);
        expect(headers['cache-control']).toBe('no-store');
      });
    },
  );
}

test(
  'two tabs wait, the user closes the first sign-in, and both continue after another one',
  ALONE,
  async ({ page, context }) => {
    await withSite('nginx', async ({ url }) => {
      const other = await context.newPage();
      await startUpload(page, url);
      await startUpload(other, url);
      await expect(notice(page)).toBeVisible();
      await expect(notice(other)).toBeVisible();
      await (await openSignIn(page)).close();
      await page.getByRole('button', { name: 'I’ve signed in' }).click();
      await expect(page.getByText('You’re not signed in yet.')).toBeVisible();

      // Not opened by a waiting tab, so it stays open.
      const later = await context.newPage();
      await later.goto(`${url}/sign-in`);
      await logIn(later);
      await readShare(page);
      await readShare(other);
      await expect(later.getByText('You can close this tab.')).toBeVisible();
      await later.reload();
      await expect(later.getByRole('heading', { name: 'You’re signed in' })).toBeVisible();
      await later.goBack();
      await later.goForward();
      await expect(later.getByRole('heading', { name: 'You’re signed in' })).toBeVisible();
    });
  },
);

for (const proxy of ['nginx', 'caddy'] as const) {
  test(
    `with ${proxy}, below a path: after a reload the files are chosen again, and nothing else is asked`,
    ALONE,
    async ({ page, context }) => {
      const work = async ({ url }: SignInSite) => {
        await startUpload(page, url);
        await expect(notice(page)).toBeVisible();
        page.on('dialog', (dialog) => void dialog.accept());
        const tab = await openSignIn(page);
        await page.reload();
        await logIn(tab);
        // No tab waits, so this one says that it is done and stays.
        await expect(tab.getByText('You can close this tab.')).toBeVisible();
        const cookies = await context.cookies(`${url}/api`);
        expect(cookies.find(({ name }) => name === 'furoshiki-pass')).toMatchObject({ path: '/files', secure: true });
        await startUpload(page, url);
        await readShare(page);
      };
      await withSite(proxy, work, { basePath: '/files' });
    },
  );
}

test('a browser without messages between tabs continues when its user comes back', ALONE, async ({ page }) => {
  await withSite('caddy', async ({ url }) => {
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'BroadcastChannel'));
    await startUpload(page, url);
    const tab = await openSignIn(page);
    await logIn(tab);
    await expect(tab.getByText('You can close this tab.')).toBeVisible();
    await tab.close();
    await page.bringToFront();
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await readShare(page);
  });
});

for (const [mistake, options] of [
  ['does not protect the page', { isForgotten: true }],
  ['has another token', { token: 'f'.repeat(32) }],
] as const) {
  test(`a proxy that ${mistake} leaves the instance closed, and the page says so`, ALONE, async ({ page, context }) => {
    await withSite(
      'nginx',
      async ({ url }) => {
        await page.goto(`${url}/sign-in`);
        if (!('isForgotten' in options)) await logIn(page);
        await expect(page.getByRole('heading', { name: 'Signing in didn’t work' })).toBeVisible();
        await expect(page.getByText('the proxy isn’t passing on the sign-in')).toBeVisible();
        expect(await passOf(context)).toBeUndefined();
        const upload = await context.newPage();
        await startUpload(upload, url);
        await expect(notice(upload)).toBeVisible();
      },
      options,
    );
  });
}

interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  body: unknown;
}

/** Sends a request with this path as it is. A browser would change it first. */
async function send(url: string, path: string, headers: Record<string, string>, json?: unknown): Promise<Reply> {
  const request = requestHttps(url, {
    path,
    method: json === undefined ? 'GET' : 'POST',
    headers: { ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
    rejectUnauthorized: false,
  }).end(json === undefined ? undefined : JSON.stringify(json));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await text(response);
  const isJson = response.headers['content-type']?.startsWith('application/json') ?? false;
  return { status: response.statusCode ?? 0, headers: response.headers, body: isJson ? JSON.parse(body) : body };
}

async function securityToken(url: string): Promise<{ cookie: string; token: string }> {
  const { headers, body } = await send(url, '/api/csrf-token', {}, {});
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '', ...(body as { token: string }) };
}
