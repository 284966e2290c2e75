import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeWebRoot, recordBuild } from '../../../testing/web-root.ts';
import { testTools } from '../../../testing/test-tools.ts';
import { manifest } from '../commands/manifest.ts';
import { signedManifest, webApp } from './site.ts';

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
  const bundle = {
    enrollment: { type: 'sigsum' },
    manifest: JSON.parse(lines.join('\n')),
    signatures: { key: 'proof' },
  };
  await writeFile(join(webcat, 'bundle.json'), JSON.stringify(bundle));
  await writeFile(join(webcat, 'enrollment.json'), JSON.stringify(bundle.enrollment));
}

it('is content if the server serves what was signed', async () => {
  await sign();
  expect(await signedManifest.run(tools())).toEqual({
    state: 'ok',
    text: expect.stringMatching(/^this server serves the \d+ signed files$/u),
  });
});

it('names what has changed since by another build', async () => {
  await sign();
  await writeFile(join(folder, 'web/assets/app.js'), 'other();');
  await recordBuild(join(folder, 'web'));
  const { state, text } = await signedManifest.run(tools());
  expect([state, text]).toEqual([
    'failed',
    'browsers that check pages will block this site: what was signed differs (/assets/app.js)',
  ]);
});

it('makes no manifest of files that were changed after the build', async () => {
  const path = join(folder, 'web/pages/ja/faq.html');
  await writeFile(path, `${await readFile(path, 'utf8')}<script src="./evil.js"></script>`);
  await expect(manifest.run(tools(), '')).rejects.toThrow(`${path} has changed since it was built`);
  expect(await webApp.run(tools())).toMatchObject({
    state: 'failed',
    text: `files of the web app have changed since they were built (${path})`,
  });
});

it('names a missing enrollment.json', async () => {
  await sign();
  await rm(join(webcat, 'enrollment.json'));
  expect(await signedManifest.run(tools())).toMatchObject({
    state: 'failed',
    text: `${webcat} has no enrollment.json`,
  });
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
  ['no signatures', '{"enrollment":{"a":1},"manifest":{"a":1},"signatures":{}}', /is not a bundle/u],
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
