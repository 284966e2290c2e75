// What the security headers mean for the page: isolation, permissions, trusted types.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test as bare } from '@playwright/test';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';
import { openPage, send, sha256, sha256Of } from '../support/user-actions.ts';

const NOTE = { name: 'note.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') };

/** A property that only Chromium has and TypeScript does not declare. */
interface WithFeaturePolicy {
  featurePolicy: { allowedFeatures(): string[] };
}

test('the page is isolated and has no permission that it does not need', async ({ page, server }) => {
  const response = await page.goto(`${server.url}/en`);
  expect(await page.evaluate(() => [isSecureContext, crossOriginIsolated])).toEqual([true, true]);
  const allowed = await page.evaluate(() => (document as unknown as WithFeaturePolicy).featurePolicy.allowedFeatures());
  const switchedOff = [...(response?.headers()['permissions-policy'] ?? '').matchAll(/([\w-]+)=\(\)/gu)];
  expect(switchedOff.length).toBeGreaterThan(40);
  expect(switchedOff.filter(([, feature = '']) => allowed.includes(feature))).toEqual([]);
  expect(allowed).toContain('clipboard-write');
});

// Playwright's own test, because Chromium logs each refusal as an error, for which our fixture fails a test.
bare('a string cannot become a script, a worker or a policy', async ({ page }) => {
  const server = await ServerProcess.start();
  await page.goto(`${server.url}/en`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  const refusals = await page.evaluate(() => {
    const attempts: Record<string, () => unknown> = {
      html: () => (document.body.innerHTML = '<img src=x onerror=alert(1)>'),
      script: () => (document.createElement('script').text = 'alert(1)'),
      worker: () => new Worker('./icon.svg'),
      'worker with a fragment': () => new Worker('./icon.svg#./theme.js'),
      policy: () => createPolicy('furoshiki-workers'),
      'default policy': () => createPolicy('default'),
    };
    const createPolicy = (name: string) =>
      (
        globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): unknown } }
      ).trustedTypes.createPolicy(name, {});
    return Object.entries(attempts).map(([name, attempt]) => {
      try {
        attempt();
        return [name, 'done'];
      } catch {
        return [name, 'refused'];
      }
    });
  });
  expect(Object.fromEntries(refusals)).toEqual({
    html: 'refused',
    script: 'refused',
    worker: 'refused',
    'worker with a fragment': 'refused',
    policy: 'refused',
    'default policy': 'refused',
  });
  await server.discard();
});

test('an extension that creates workers from strings, with a fragment, does not stop a transfer', async ({
  page,
  server,
}) => {
  // As WEBCAT does, to know for which page a script is loaded.
  await page.addInitScript(() => {
    const Original = Worker;
    globalThis.Worker = class extends Original {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(`${url}#https://files.example.org`, options);
      }
    };
  });
  const share = await send(page, server.url, [NOTE]);
  await openPage(page, share);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: `Download ${NOTE.name}` }).click();
  expect(await sha256Of(await downloading)).toBe(sha256(NOTE.buffer));
});

test('an isolated page can use storage on another origin that allows it with CORS', async ({ page }) => {
  const storage = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-methods', 'GET, PUT');
    response.setHeader('access-control-allow-headers', 'content-type, range');
    response.setHeader('access-control-expose-headers', 'etag');
    response.setHeader('etag', '"stored"');
    request.resume().on('end', () => response.end('sealed'));
  }).listen(0, '127.0.0.1');
  await once(storage, 'listening');
  const url = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`;
  // Of the settings that allow another origin, these need no store.
  const server = await ServerProcess.start({ ANALYTICS_SERVICE: 'umami', ANALYTICS_URL: url, ANALYTICS_ID: 'x' });
  await page.goto(`${server.url}/en`);
  const seen = await page.evaluate(async (address) => {
    const got = await fetch(address, { credentials: 'omit', headers: { range: 'bytes=0-5' } });
    const etag = await new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open('PUT', address);
      request.setRequestHeader('content-type', 'application/octet-stream');
      request.addEventListener('load', () => resolve(request.getResponseHeader('etag')));
      request.addEventListener('error', () => reject(new Error('refused')));
      request.send(new Uint8Array(6));
    });
    return [crossOriginIsolated, await got.text(), etag];
  }, url);
  expect(seen).toEqual([true, 'sealed', '"stored"']);
  // The page still fetches its service workers, and would log an error when the server is gone.
  await page.close();
  storage.close();
  await server.discard();
});
