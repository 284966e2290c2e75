import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeWebRoot } from '../../../testing/test-server.ts';
import { testTools } from '../../../testing/test-tools.ts';
import { manifest } from '../commands/manifest.ts';
import { signedManifest } from './checks/signed-manifest.ts';

let folder: string;
let webcat: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-webcat-'));
  webcat = join(folder, 'signed');
  await makeWebRoot(folder, true);
  await mkdir(webcat);
});
afterEach(() => rm(folder, { recursive: true }));

const tools = (environment: Record<string, string> = {}) =>
  testTools(folder, { PUBLIC_ORIGIN: 'https://files.example.org', WEBCAT_DIR: webcat, ...environment });

/** Signs what the command prints, as far as the check looks at it. */
async function sign(environment?: Record<string, string>) {
  const { lines } = await manifest.run(tools(environment), '');
  const bundle = { enrollment: {}, manifest: JSON.parse(lines.join('\n')), signatures: {} };
  await writeFile(join(webcat, 'bundle.json'), JSON.stringify(bundle));
}

it('is content if the server serves what was signed', async () => {
  await sign();
  expect(await signedManifest.run(tools())).toEqual({
    state: 'ok',
    text: expect.stringMatching(/^this server serves the \d+ signed files$/u),
  });
});

it.each([
  ['a file has changed', () => writeFile(join(folder, 'web/assets/app.js'), 'evil()'), '/assets/app.js'],
  [
    'a page has changed',
    async () => {
      const path = join(folder, 'web/pages/ja/faq.html');
      await writeFile(path, `${await readFile(path, 'utf8')}<script src="./evil.js"></script>`);
    },
    '/ja/faq',
  ],
])('names it if %s since', async (_, change, name) => {
  await sign();
  await change();
  const { state, text } = await signedManifest.run(tools());
  expect([state, text]).toEqual([
    'failed',
    `browsers that check pages will block this site: what was signed differs (${name})`,
  ]);
});

it('names other settings, and not every page that they change', async () => {
  await sign({ PUBLIC_ORIGIN: 'https://other.example.org' });
  const { text } = await signedManifest.run(tools());
  expect(text).toMatch(/\(default_csp, \/\S*, \/\S* and \d\d more\)$/u);
});

it.each([
  ['no file', undefined, /has no bundle\.json$/u],
  ['a file that is not JSON', '{', /is not a bundle/u],
  ['a manifest alone', '{"files": {}}', /is not a bundle/u],
])('says what is wrong with %s', async (_, text, problem) => {
  if (text !== undefined) await writeFile(join(webcat, 'bundle.json'), text);
  expect(await signedManifest.run(tools())).toMatchObject({ state: 'failed', text: expect.stringMatching(problem) });
});

it('skips a server without signed files', async () => {
  expect((await signedManifest.run(testTools(folder))).state).toBe('skipped');
});

it('needs a public address and a build', async () => {
  await expect(manifest.run(testTools(folder), '')).rejects.toThrow('PUBLIC_ORIGIN is not set');
  await rm(join(folder, 'web/build.json'));
  await expect(manifest.run(tools(), '')).rejects.toThrow('the web app is not built');
});
