// The files of a release: their sums and signature, and that they run.
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../../apps/server/testing/process.ts';
import { readRecord } from '../../scripts/build-record.mjs';
import { findProgram } from '../../scripts/ensure-programs.mjs';
import { DIST, ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ROOT } from '../../scripts/paths.mjs';
import { notesOf, reasonAgainstRelease, reasonAgainstTag, releasedCommit } from './releasable.mjs';
import { readSigningKey } from './artefacts.mjs';
import { COMMIT, IMAGE, makeRelease } from './testing/make-release.ts';

/** Only of this one, because each takes eight seconds to compress. */
const PLATFORM = `linux-${process.arch}`;
const { version } = readJson(join(ROOT, 'package.json')) as { version: string };
let folder: string;
const at = (...names: string[]) => join(folder, ...names);

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function run(program: string, args: string[], cwd = folder) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  });
  return { status, stdout, stderr };
}

beforeAll(() => {
  ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-release-'));
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(at('release.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(at('release.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  makeRelease(at('out'), { umask: '022', platforms: [PLATFORM], key: at('release.key') });
  // It bundles and compresses, which takes minutes on a busy machine.
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

it('has the server, the client, the record of the build and the bill of materials', () => {
  expect(readdirSync(at('out')).toSorted()).toEqual([
    'SHA256SUMS',
    'SHA256SUMS.sig',
    'compose.yml',
    `furoshiki-${version}.build.json`,
    `furoshiki-${version}.manifest.json`,
    `furoshiki-${version}.provenance.json`,
    `furoshiki-${version}.sbom.cdx.json`,
    `furoshiki-cli-${version}-${PLATFORM}.tar.gz`,
    `furoshiki-cli-${version}.tgz`,
    `furoshiki-server-${version}-${PLATFORM}.tar.gz`,
    `furoshiki-server-${version}.tar.gz`,
    'install.sh',
  ]);
  expect(readJson(at('out', `furoshiki-${version}.build.json`))).toEqual(readRecord(DIST));
});

it('has the manifest of the published client, which is the same for every server', () => {
  const { manifest } = readJson(at('out', `furoshiki-${version}.manifest.json`)) as {
    manifest: { version: string; files: Record<string, string> };
  };
  const built = readRecord(DIST).files['pages/de/faq.html'] ?? '';
  expect(manifest.version).toBe(version);
  expect(manifest.files['/de/faq']).toBe(Buffer.from(built, 'hex').toString('base64url'));
});

describe.skipIf(!findProgram('openssl'))('its sums and signature', () => {
  const verifySums = (out: string) => run('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], out).status;
  // As docs/RELEASING.md says.
  const verify = 'pkeyutl -verify -pubin -inkey ../release.pub -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig';
  const verifySignature = (out: string) => run('openssl', verify.split(' '), out).status;

  it('are accepted by sha256sum and openssl', () => {
    expect([verifySums(at('out')), verifySignature(at('out'))]).toEqual([0, 0]);
  });

  it.each([`furoshiki-server-${version}.tar.gz`, `furoshiki-cli-${version}.tgz`, `furoshiki-${version}.build.json`])(
    'are refused if %s has another byte',
    (name) => {
      const changed = at('changed');
      cpSync(at('out'), changed, { recursive: true });
      appendFileSync(join(changed, name), 'x');
      expect(verifySums(changed)).toBe(1);
      // An attacker who also changes the sums does not have the key.
      writeFileSync(join(changed, 'SHA256SUMS'), run('sha256sum', [name], changed).stdout);
      expect([verifySums(changed), verifySignature(changed)]).toEqual([0, 1]);
      rmSync(changed, { recursive: true });
    },
  );
});

it('has a server that runs in an empty folder, without npm', async () => {
  expect(run('tar', ['-xzf', at('out', `furoshiki-server-${version}.tar.gz`)]).stderr).toBe('');
  const server = at(`furoshiki-server-${version}`);
  const port = await freePort();
  const env = { PORT: String(port), DATA_DIR: at('data') };
  const child = spawn(process.execPath, ['server.mjs'], { cwd: server, env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  };
  expect(await get('/healthz')).toEqual({ status: 200, text: '{"status":"ok"}' });
  const page = await get('/ja/security');
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('<html lang="ja"')]);
  expect((await get('/build.json')).text).toBe(readFileSync(join(DIST, 'build.json'), 'utf8'));
  const { stdout } = spawnSync(process.execPath, ['admin.mjs', 'stats', '--json'], {
    cwd: server,
    env,
    encoding: 'utf8',
  });
  expect(JSON.parse(stdout)).toBeTypeOf('object');

  child.kill('SIGTERM');
  expect(await once(child, 'close')).toEqual([0, null]);
});

describe('the single executable', () => {
  const client = `furoshiki-cli-${version}-${PLATFORM}`;
  /** Without Node in the path. Options of Node are not for it. */
  const environment = (more: Record<string, string>) => ({
    HOME: at('home'),
    NODE_OPTIONS: '--no-such-option',
    ...more,
  });
  beforeAll(() => {
    run('tar', ['-xzf', at('out', `${client}.tar.gz`)]);
  });

  /** Runs its server until `visit` has ended. */
  async function served(more: Record<string, string>, visit: (origin: string) => void): Promise<void> {
    const port = String(await freePort());
    const env = environment({ PORT: port, DATA_DIR: at('own data'), ...more });
    const child = spawn(at(client, 'furoshiki'), ['serve'], { cwd: folder, env });
    let errors = '';
    child.stderr.on('data', (text: Buffer) => (errors += String(text)));
    const closed = once(child, 'close');
    const [line] = (await Promise.race([once(child.stdout, 'data'), closed])) as [unknown];
    expect([String(line), errors]).toEqual([`Furoshiki serves http://127.0.0.1:${port}\n`, '']);
    visit(`http://127.0.0.1:${port}`);
    child.kill('SIGTERM');
    expect(await closed).toEqual([0, null]);
  }

  function furoshiki(origin: string, args: string[], input = ''): string {
    const env = environment({ FUROSHIKI_SERVER: origin });
    const ended = spawnSync(at(client, 'furoshiki'), args, { cwd: folder, env, input, encoding: 'utf8' });
    expect([ended.status, ended.stderr]).toEqual([0, '']);
    return ended.stdout;
  }

  it('is the server, and sends and receives with it', async () => {
    expect(furoshiki('', ['--version'])).toBe(`furoshiki ${version}\n`);
    await served({}, (origin) => {
      const [link = '', key = ''] = furoshiki(origin, ['send', 'release.pub', '-q']).split('\n');
      expect(furoshiki(origin, ['receive', link, '-o', '-'], key)).toBe(readFileSync(at('release.pub'), 'utf8'));
      expect(furoshiki(origin, ['verify', origin])).toMatch(/^All \d+ files match/u);
    });
    const [unpacked = '', ...others] = readdirSync(at('home/.cache/furoshiki'));
    expect([others, readdirSync(at('home/.cache/furoshiki', unpacked)).toSorted()]).toEqual([
      [],
      expect.arrayContaining(['lib', 'start.cjs', 'web']),
    ]);
  });

  it('is the server where it cannot keep its files, or where others could change them', async () => {
    mkdirSync(at('temporary'));
    mkdirSync(at('shared/furoshiki'), { recursive: true });
    chmodSync(at('shared/furoshiki'), 0o777);
    for (const cache of [at('release.pub'), at('shared')])
      await served({ XDG_CACHE_HOME: cache, TMPDIR: at('temporary') }, (origin) => {
        expect(readdirSync(at('temporary'))).toHaveLength(1);
        expect(furoshiki(origin, ['verify', origin])).toMatch(/^All \d+ files match/u);
      });
    // Nothing remains.
    expect([readdirSync(at('temporary')), readdirSync(at('shared/furoshiki'))]).toEqual([[], []]);
  });
});

it('has a server with its own Node, which a newcomer starts from the archive', () => {
  const archive = at('out', `furoshiki-server-${version}-${PLATFORM}.tar.gz`);
  const { status, stdout } = run(process.execPath, [join(ROOT, 'scripts', 'try.mjs'), 'archive', archive]);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/^served after .* s, sent and received after/mu)]);
});

it('has a compose file that pulls the image of the minor version and builds nothing', () => {
  const file = parse(readFileSync(at('out', 'compose.yml'), 'utf8')) as { services: Record<string, object> };
  const { furoshiki: service } = file.services;
  expect(service).toMatchObject({ image: `${IMAGE}:${version.replace(/\.\d+$/u, '')}`, volumes: ['./data:/data'] });
  expect(service).not.toHaveProperty('build');
});

it('says from which commit and with which Node each file was made', () => {
  const { subject, predicate } = readJson(at('out', `furoshiki-${version}.provenance.json`)) as {
    subject: { name: string; digest: { sha256: string } }[];
    predicate: { buildDefinition: { resolvedDependencies: object[] } };
  };
  const lines = subject.map(({ name, digest }) => `${digest.sha256}  ${name}`);
  const sums = readFileSync(at('out', 'SHA256SUMS'), 'utf8').trim().split('\n');
  expect(lines).toEqual(sums.filter((line) => !line.includes('provenance')));
  expect(predicate.buildDefinition.resolvedDependencies).toMatchObject([
    { digest: { gitCommit: COMMIT } },
    { digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) } },
    { annotations: { version: process.versions.node } },
  ]);
});

it('has a server that says which Node it needs', () => {
  const text = readFileSync(at(`furoshiki-server-${version}`, 'server.mjs'), 'utf8');
  writeFileSync(
    at('old.mjs'),
    `Object.defineProperty(process.versions, 'node', { value: '20.1.0' });\n${text.replace('#!', '//')}`,
  );
  const { status, stderr } = run(process.execPath, ['old.mjs']);
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^Furoshiki needs Node \d+ or newer\. This is v/u)]);
});

it('has a client that runs', () => {
  expect(run('tar', ['-xzf', at('out', `furoshiki-cli-${version}.tgz`)]).stderr).toBe('');
  const { stdout } = run(process.execPath, ['package/furoshiki.mjs', '--version']);
  expect(stdout).toContain(version);
});

describe.skipIf(!findProgram('openssl') || !findProgram('curl'))('the install script', () => {
  const install = (out: string, key = 'release.pub') =>
    run('sh', [join(out, 'install.sh'), `file://${out}`, key, at('bin')]);

  it('installs the client of a release that is signed', () => {
    expect(install(at('out'))).toMatchObject({ status: 0, stdout: `Installed: ${at('bin', 'furoshiki')}\n` });
    expect(run(at('bin', 'furoshiki'), ['--version']).stdout).toBe(`furoshiki ${version}\n`);
    rmSync(at('bin'), { recursive: true });
  });

  it.each([
    ['the archive', [`furoshiki-cli-${version}-${PLATFORM}.tar.gz`], 'is not the one that was signed'],
    ['its sums', ['SHA256SUMS'], 'the signature is wrong'],
    ['the signature', ['SHA256SUMS.sig'], 'the signature is wrong'],
  ])('installs nothing if %s changed', (_, names, reason) => {
    const changed = at('changed');
    cpSync(at('out'), changed, { recursive: true });
    for (const name of names) appendFileSync(join(changed, name), '\n');
    expect(install(changed)).toMatchObject({ status: 1, stderr: expect.stringContaining(reason) as string });
    expect(readdirSync(folder)).not.toContain('bin');
    rmSync(changed, { recursive: true });
  });

  it('installs nothing if the key is another one', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    writeFileSync(at('other.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
    expect(install(at('out'), 'other.pub')).toMatchObject({ status: 1, stdout: '' });
  });
});

describe('a clone', () => {
  let clone: string;
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    expect(run('git', [...identity, ...args], clone).status).toBe(0);
  };
  beforeAll(() => {
    clone = at('clone');
    mkdirSync(clone);
    writeFileSync(join(clone, 'package.json'), '{ "version": "1.2.3" }');
    writeFileSync(join(clone, 'CHANGELOG.md'), '## [1.2.3] - 2030-01-01\n\n- a\n');
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message=first');
  });

  it('is released if everything is committed', () => {
    expect(reasonAgainstRelease(clone)).toBeUndefined();
    expect(releasedCommit(clone).commit).toMatch(/^[0-9a-f]{40}$/u);
    expect(releasedCommit(clone).timeS).toBeGreaterThan(1_700_000_000);
  });

  it('is not released with a change, or with a file that is not committed', () => {
    writeFileSync(join(clone, 'new.txt'), '');
    expect(reasonAgainstRelease(clone)).toBe('the tree has uncommitted changes:\n?? new.txt');
    rmSync(join(clone, 'new.txt'));
  });

  it('is not released if the changelog does not have its version', () => {
    writeFileSync(join(clone, 'package.json'), '{ "version": "1.2.30" }');
    git('commit', '--quiet', '--all', '--message=second');
    expect(reasonAgainstRelease(clone)).toBe('CHANGELOG.md has no entry for version 1.2.30');
  });

  it.each([
    ['## [Unreleased]\n\n### Added\n\n- b\n\n## [1.2.3] - 2030-01-01\n\n- a\n', /entries under "Unreleased"/u],
    ['## [Unreleased]\nb\n## [1.2.3]\n\n- b\n', /entries under "Unreleased"/u],
    [
      '## [Unreleased]\n\n## [1.2.3] - 2030-01-01\n\n## [1.2.2]\n\n- b\n',
      /^CHANGELOG.md has no entry for version 1\.2\.3$/u,
    ],
    ['## [Unreleased]\n\n## [1.2.3] - 2030-01-01\n\n- b\n', undefined],
  ])('is released only with an entry of its version and nothing unreleased: %j', (changelog, reason) => {
    writeFileSync(join(clone, 'package.json'), '{ "version": "1.2.3" }');
    writeFileSync(join(clone, 'CHANGELOG.md'), changelog);
    git('commit', '--quiet', '--all', '--message=changelog');
    expect(reasonAgainstRelease(clone) ?? 'none').toMatch(reason ?? /^none$/u);
  });

  it('is not released twice', () => {
    git('tag', 'v1.2.3');
    expect(reasonAgainstRelease(clone)).toBeUndefined();
    git('commit', '--quiet', '--allow-empty', '--message=later');
    expect(reasonAgainstRelease(clone)).toBe('the tag v1.2.3 exists at another commit: a version is released once');
    git('tag', '--delete', 'v1.2.3');
  });

  it('has the entry of its version as notes', () => {
    writeFileSync(join(clone, 'package.json'), '{ "version": "1.2.3" }');
    const entries = [
      '# Changelog',
      '## [Unreleased]',
      'new',
      '## [1.2.3] - 2030-01-01',
      '',
      '### Added',
      '',
      '- b',
      '## [1.2.2]',
      'old',
    ];
    writeFileSync(join(clone, 'CHANGELOG.md'), entries.join('\n'));
    expect(notesOf(clone)).toBe('### Added\n\n- b\n');
    git('commit', '--quiet', '--all', '--message=third');
  });

  describe.skipIf(!findProgram('ssh-keygen'))('with a tag', () => {
    const key = (name: string) => at(`${name}-signer`);
    const refusal = 'the tag v1.2.3 is not signed by a key of .github/release-signers on the main branch';
    beforeAll(() => {
      for (const name of ['known', 'other']) run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key(name)]);
      mkdirSync(join(clone, '.github'));
      writeFileSync(
        join(clone, '.github', 'release-signers'),
        `a@example.org ${readFileSync(`${key('known')}.pub`, 'utf8')}`,
      );
      git('add', '.');
      git('commit', '--quiet', '--message=signers');
      git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    });
    afterEach(() => git('tag', '--delete', 'v1.2.3'));
    const tag = (...options: string[]) => git('-c', 'gpg.format=ssh', ...options, '--message=x', 'v1.2.3');
    const signedBy = (name: string) => ['-c', `user.signingKey=${key(name)}`, 'tag', '--sign'];

    it('is released if a known key has signed it', () => {
      tag(...signedBy('known'));
      expect(reasonAgainstTag(clone, 'v1.2.3')).toBeUndefined();
    });

    it.each([
      ['without a signature', ['tag', '--annotate']],
      ['by another key', undefined],
    ])('is not released %s', (_, options) => {
      tag(...(options ?? signedBy('other')));
      expect(reasonAgainstTag(clone, 'v1.2.3')).toBe(refusal);
    });

    it('is not released if the tagged commit adds its own key', () => {
      const signers = join(clone, '.github', 'release-signers');
      writeFileSync(signers, `b@example.org ${readFileSync(`${key('other')}.pub`, 'utf8')}`);
      git('commit', '--quiet', '--all', '--message=own key');
      tag(...signedBy('other'));
      expect(reasonAgainstTag(clone, 'v1.2.3')).toBe(refusal);
    });

    it('is not released from another commit, or under another version', () => {
      tag(...signedBy('known'));
      git('commit', '--quiet', '--allow-empty', '--message=later');
      expect(reasonAgainstTag(clone, 'v1.2.3')).toBe('the tag v1.2.3 is not at the commit that is checked out');
      expect(reasonAgainstTag(clone, 'v1.2.4')).toBe('the tag v1.2.4 does not name the version 1.2.3');
    });
  });
});

it('is signed with no other kind of key', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(at('ec.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  expect(() => readSigningKey(at('ec.key'))).toThrow('is not an Ed25519 key');
});
