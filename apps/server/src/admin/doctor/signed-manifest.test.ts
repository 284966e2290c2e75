import { generateKeyPairSync, hash, sign as signWith } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeWebRoot, recordBuild } from '../../../testing/web-root.ts';
import { testTools } from '../../../testing/test-tools.ts';
import { canonical } from '../../deployment/signed-bundle.ts';
import type { Tools } from '../command.ts';
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

const NOW_S = 1_800_000_000;
const DAY_S = 24 * 60 * 60;
/** What a Sigsum log responds to get-tree-head. */
const treeHead = (seconds: number) =>
  ['size=7', 'root_hash=aa', 'signature=bb', `cosignature=cc ${seconds} dd`, `cosignature=ee ${seconds} ff`].join('\n');

const KEYS = [1, 2].map(() => generateKeyPairSync('ed25519'));
const [first = '', second = ''] = KEYS.map(({ publicKey }) =>
  publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64url'),
);

interface Bundle {
  enrollment: Record<string, unknown>;
  manifest: Record<string, unknown>;
  signatures: Record<string, string> | object[];
}

/** Makes the files that WEBCAT's tool makes of what the command prints. `change` changes the bundle before it is written. */
async function sign(
  environment: Record<string, string> = {},
  change: (bundle: Bundle) => void = () => undefined,
  values: Record<string, string> = {},
) {
  await writeFile(join(folder, 'tree-head'), treeHead(NOW_S - DAY_S));
  const given = { timestamp: join(folder, 'tree-head'), ...values };
  const { lines } = await manifest.run(tools(environment), '', false, given);
  const { manifest: printed } = JSON.parse(lines.join('\n')) as Bundle;
  const message = hash('sha256', hash('sha256', canonical(printed), 'buffer'), 'buffer');
  const signed = Buffer.concat([Buffer.from('sigsum.org/v1/tree-leaf\0'), message]);
  const proofs = KEYS.map(({ privateKey }) => {
    const leaf = `leaf=${'ab'.repeat(32)} ${signWith(null, signed, privateKey).toString('hex')}`;
    return `version=2\nlog=00\n${leaf}\n\nsize=8`;
  });
  const enrollment = { type: 'sigsum', policy: 'x', signers: [first, second], threshold: 2, max_age: 30 * DAY_S };
  const bundle: Bundle = {
    enrollment,
    manifest: printed,
    signatures: { [first]: proofs[0] ?? '', [second]: proofs[1] ?? '' },
  };
  await writeFile(join(webcat, 'enrollment.json'), JSON.stringify(enrollment, null, 2));
  change(bundle);
  await writeFile(join(webcat, 'bundle.json'), JSON.stringify(bundle));
}

const doctor = (environment?: Record<string, string>, seconds = NOW_S) =>
  signedManifest.run({ ...tools(environment), clock: { nowMs: () => seconds * 1000 } } satisfies Tools);

it('is content if the server serves what was signed', async () => {
  await sign();
  expect(await doctor()).toEqual({
    state: 'ok',
    text: expect.stringMatching(/^this server serves the \d+ signed files, version 1\.2\.3$/u),
  });
});

it('is content with the next revision of a version', async () => {
  await sign({}, undefined, { revision: '12' });
  expect(await doctor()).toMatchObject({ state: 'ok', text: expect.stringMatching(/version 1\.2\.3\.12$/u) });
});

it.each<[string, (bundle: Bundle) => void, RegExp]>([
  [
    'a changed manifest',
    ({ manifest: one }) => (one['version'] = '1.2.3.1'),
    /a signature is not one of this manifest/u,
  ],
  [
    'a broken signature',
    ({ signatures }) => Object.assign(signatures, { [first]: `leaf=${'ab'.repeat(32)} ${'00'.repeat(64)}` }),
    /a signature is not one of this manifest/u,
  ],
  [
    'too few signatures',
    (bundle) => (bundle.signatures = Object.fromEntries(Object.entries(bundle.signatures).slice(0, 1))),
    /: 1 of the enrolled signers have signed, and the enrolment needs 2/u,
  ],
  [
    'another enrolment',
    ({ enrollment }) => (enrollment['threshold'] = 1),
    /the enrolment in bundle\.json is not that of enrollment\.json/u,
  ],
  ['no timestamp', ({ manifest: one }) => delete one['timestamp'], /the manifest has no timestamp/u],
  [
    'a timestamp without witnesses',
    ({ manifest: one }) => (one['timestamp'] = 'size=1\nroot_hash=aa\nsignature=bb'),
    /is not a tree head with cosignatures/u,
  ],
  [
    'a signature of Sigstore for another manifest',
    (bundle) => {
      bundle.enrollment = { type: 'sigstore', max_age: 1 };
      bundle.signatures = [{ messageSignature: { messageDigest: { digest: 'AAAA' } } }];
    },
    /is not that of enrollment\.json/u,
  ],
])('says what to do about %s', async (_, change, problem) => {
  await sign({}, change);
  expect(await doctor()).toMatchObject({ state: 'failed', text: expect.stringMatching(problem) });
});

it.each([
  [30, 'ok'],
  [31, 'failed'],
])('knows how old a timestamp may be: %d days', async (days, state) => {
  await sign();
  expect((await doctor({}, NOW_S - DAY_S + days * DAY_S)).state).toBe(state);
});

it.each([
  [true, 'ok'],
  [false, 'failed'],
])('compares the manifest with the digest that Sigstore has signed: %s', async (isRight, state) => {
  await sign({}, (bundle) => {
    bundle.enrollment = { type: 'sigstore', max_age: 30 * DAY_S };
    const digest = isRight ? hash('sha256', canonical(bundle.manifest), 'base64') : 'AAAA';
    bundle.signatures = [{ messageSignature: { messageDigest: { digest } } }];
  });
  await writeFile(join(webcat, 'enrollment.json'), JSON.stringify({ max_age: 30 * DAY_S, type: 'sigstore' }));
  expect((await doctor()).state).toBe(state);
});

it.each([
  ['timestamp', 'missing', / cannot be read$/u],
  ['timestamp', 'web/build.json', / is not the tree head of a Sigsum log/u],
  ['revision', '0', /is a number from 1/u],
  ['revision', '1.2', /is a number from 1/u],
])('makes no manifest with --%s=%s', async (name, value, problem) => {
  const given = { [name]: name === 'timestamp' ? join(folder, value) : value };
  await expect(manifest.run(tools(), '', false, given)).rejects.toThrow(problem);
});

it('names what has changed since by another build', async () => {
  await sign();
  await writeFile(join(folder, 'web/assets/app.js'), 'other();');
  await recordBuild(join(folder, 'web'));
  const { state, text } = await doctor();
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
  expect(await doctor()).toMatchObject({
    state: 'failed',
    text: expect.stringContaining('enrollment.json is missing or damaged'),
  });
});

it('names other settings, and not every page that they change', async () => {
  await sign({ BASE_PATH: '/files' });
  const { text } = await doctor();
  expect(text).toMatch(/\(default_index, default_fallback, \/\S* and \d+ more\)$/u);
});

it.each([
  ['no file', undefined, /has no bundle\.json$/u],
  ['a file that is not JSON', '{', /is not a bundle/u],
  ['a manifest alone', '{"files": {}}', /is not a bundle/u],
  ['a manifest that is not signed', '{"manifest": {"version": "1", "files": {}}}', /is not a bundle/u],
  ['no signatures', '{"enrollment":{"a":1},"manifest":{"a":1},"signatures":{}}', /is not a bundle/u],
])('says what is wrong with %s', async (_, text, problem) => {
  if (text !== undefined) await writeFile(join(webcat, 'bundle.json'), text);
  expect(await doctor()).toMatchObject({ state: 'failed', text: expect.stringMatching(problem) });
});

it('skips a server without signed files', async () => {
  expect((await signedManifest.run(testTools(folder))).state).toBe('skipped');
});

it('needs a build', async () => {
  await rm(join(folder, 'web/build.json'));
  await expect(manifest.run(tools(), '')).rejects.toThrow('the web app is not built');
});
