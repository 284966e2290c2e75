import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pagePolicy } from '@furoshiki/site';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startTestServer, type TestOptions } from '../../testing/test-server.ts';

const BUNDLE = '{"manifest": {"version": "1.2.3.4"}}\n';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-webcat-'));
  await mkdir(join(folder, 'manifest.json'));
  await writeFile(join(folder, 'signing.key'), '{"a": 1}\n');
  await writeFile(join(folder, 'bundle.json'), BUNDLE);
});
afterAll(() => rm(folder, { recursive: true }));

async function start(config: TestOptions['config'] = {}) {
  const server = await startTestServer({ config, hasPages: true });
  onTestFinished(() => server.close());
  return server;
}

it.each([undefined, '/files'])(
  'serves a signed file at the root of the origin, with the base path %s',
  async (BASE_PATH) => {
    const { url } = await start({ WEBCAT_DIR: folder, BASE_PATH });
    const response = await fetch(new URL('/.well-known/webcat/bundle.json', url));
    expect([response.status, await response.text()]).toEqual([200, BUNDLE]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-security-policy': pagePolicy([]),
      'cache-control': 'no-cache',
      'x-webcat-version': '1.2.3.4',
    });
  },
);

it('serves no other file of the folder, and JSON if a file is missing', async () => {
  const { url } = await start({ WEBCAT_DIR: folder });
  for (const name of ['enrollment.json', 'manifest.json', 'signing.key', '', '..%2Fbundle.json']) {
    const response = await fetch(`${url}/.well-known/webcat/${name}`, { redirect: 'manual' });
    expect(await response.text()).not.toContain('"a"');
    expect([name, response.ok]).toEqual([name, false]);
  }
});

it('serves nothing there without the setting', async () => {
  const { url } = await start();
  const response = await fetch(`${url}/.well-known/webcat/bundle.json`);
  expect([response.status, response.headers.get('x-webcat-version')]).toEqual([404, null]);
});
