// Makes the files of a release from the sources and the built web app.
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { readRecord, RECORD_NAME, recordOf } from '../../scripts/build-record.mjs';
import { DIST } from '../../scripts/ensure-built.mjs';
import { ROOT, toolEnv } from '../../scripts/paths.mjs';
import { billOfMaterials } from './bill-of-materials.mjs';
import { isWindows } from './node-of-platform.mjs';
import { makeExecutable } from './single-executable.mjs';

/**
 * @typedef {object} Release
 * @property {string} commit
 * @property {number} timeS of the commit
 * @property {string[]} platforms of servers
 * @property {string[]} clientPlatforms
 * @property {string} [image] the name under which the image is published, without a tag
 * @property {import('node:crypto').KeyObject} [key]
 */

/**
 * @param {string} out
 * @param {Release} release
 */
export function makeArtefacts(out, { commit, timeS, platforms, clientPlatforms, image, key }) {
  const record = readRecord(DIST);
  if (!isDeepStrictEqual(recordOf(DIST, record), record))
    throw new Error(`${DIST} has changed since it was built: remove it`);
  const { version } = record;
  mkdirSync(out, { recursive: true });
  /** @type {string[]} */
  const names = [];
  /** @param {string} name */
  const added = (name) => {
    names.push(name);
    return join(out, name);
  };
  const scratch = mkdtempSync(join(tmpdir(), 'furoshiki-release-'));
  try {
    for (const platform of [undefined, ...platforms]) {
      const server = ['furoshiki-server', version, ...(platform ? [platform] : [])].join('-');
      write('server-bundle.mjs', join(scratch, server), ...(platform ? [platform] : []));
      archiveFolder(added(`${server}.tar.gz`), scratch, server, timeS);
    }
    // npm expects this name of the folder. What `npm pack` made is removed, because its bytes depend on npm.
    const packed = join(scratch, 'package');
    rmSync(write('pack-cli.mjs', packed));
    archiveFolder(added(`furoshiki-cli-${version}.tgz`), scratch, 'package', timeS);
    for (const platform of clientPlatforms) {
      const client = `furoshiki-cli-${version}-${platform}`;
      for (const name of ['completions', 'furoshiki.1', 'LICENSE', 'README.md', 'THIRD-PARTY-LICENSES'])
        cpSync(join(packed, name), join(scratch, client, name), { recursive: true });
      const program = isWindows(platform) ? 'furoshiki.exe' : 'furoshiki';
      // Of what the server contains.
      const server = join(scratch, `furoshiki-server-${version}`);
      cpSync(join(server, 'THIRD-PARTY-LICENSES.md'), join(scratch, client, 'THIRD-PARTY-LICENSES-SERVER.md'));
      makeExecutable({ client: packed, server, timeS }, platform, join(scratch, client, program));
      archiveFolder(added(`${client}.tar.gz`), scratch, client, timeS);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  copyFileSync(join(import.meta.dirname, 'install.sh'), added('install.sh'));
  copyFileSync(join(DIST, RECORD_NAME), added(`furoshiki-${version}.${RECORD_NAME}`));
  const manifest = write('manifest.mjs', '--published');
  writeFileSync(added(`furoshiki-${version}.manifest.json`), `${manifest}\n`);
  assertSigned(JSON.parse(manifest).manifest.files);
  const lockfile = readFileSync(join(ROOT, 'package-lock.json'), 'utf8');
  writeJson(added(`furoshiki-${version}.sbom.cdx.json`), billOfMaterials(JSON.parse(lockfile)));
  if (image !== undefined) writeFileSync(added('compose.yml'), composeFile(image, version));
  const made = [...names];
  writeJson(added(`furoshiki-${version}.provenance.json`), provenanceOf(out, made, commit, lockfile));
  writeSums(out, names);
  rmSync(join(out, SIGNATURE_NAME), { force: true }); // it belongs to other sums
  if (key) signSums(out, key);
}

/** What was signed for this release, if anything, is in the server archives. @param {Record<string, string>} files */
function assertSigned(files) {
  const bundle = join(ROOT, 'webcat', 'bundle.json');
  if (existsSync(bundle) && !isDeepStrictEqual(JSON.parse(readFileSync(bundle, 'utf8')).manifest.files, files))
    throw new Error(`${bundle} is not what was built: sign the manifest of this version, or remove the folder`);
}

/** @param {string} file @param {object} value */
function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * compose.yml of the repository, with the published image instead of a build. Its tag has no patch number, so that
 * `docker compose pull` brings fixes.
 * @param {string} image
 * @param {string} version
 */
function composeFile(image, version) {
  const [major, minor] = version.split('.');
  return readFileSync(join(ROOT, 'compose.yml'), 'utf8')
    .replace(/^ +build: .*\n/mu, '')
    .replace(/^( +image: ).*$/mu, `$1${image}:${major}.${minor}`);
}

/**
 * What was made from what, as an in-toto statement. Like the other files it has no time and no name of a machine, so that
 * everyone who makes the release gets the same. The signature of the sums covers it.
 * @param {string} out
 * @param {string[]} names
 * @param {string} commit
 * @param {string} lockfile
 */
function provenanceOf(out, names, commit, lockfile) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: names.toSorted().map((name) => ({ name, digest: { sha256: sha256(readFileSync(join(out, name))) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:furoshiki:npm-run-release',
        externalParameters: { command: 'npm run release' },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: commit } },
          { name: 'package-lock.json', digest: { sha256: sha256(lockfile) } },
          { name: 'node', annotations: { version: process.versions.node } },
        ],
      },
      runDetails: { builder: { id: 'urn:furoshiki:tools/release/release.mjs' } },
    },
  };
}

/** @param {string | Buffer} content */
const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/**
 * Runs a script that writes into a folder, with an environment in which no tool builds for development.
 * @param {string} script
 * @param {string[]} args
 * @returns {string} what it printed
 */
function write(script, ...args) {
  const env = { ...toolEnv(), NODE_ENV: 'production' };
  const run = spawnSync('node', [join(import.meta.dirname, script), ...args], { encoding: 'utf8', env });
  if (run.status !== 0) throw new Error(`${script} failed: ${run.stderr}${run.error?.message ?? ''}`);
  return run.stdout.trim();
}

/** Names, times, owners and permissions of the machine are left out. */
const NEUTRAL = [
  '--sort=name',
  '--format=ustar',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rw,go+r,go-w,a+X',
];

/**
 * GNU tar writes the archive. The pinned Node compresses it, because the bytes of gzip depend on its version.
 * @param {string} archive the .tar.gz to write
 * @param {string} parent
 * @param {string} folder in parent, and the only one in the archive
 * @param {number} timeS of every file. It must differ between versions: the server makes its ETags from it.
 */
function archiveFolder(archive, parent, folder, timeS) {
  const { status, stdout, stderr, error } = spawnSync(
    'tar',
    [...NEUTRAL, `--mtime=@${timeS}`, '--create', '--file=-', `--directory=${parent}`, folder],
    { env: { ...process.env, LC_ALL: 'C', TAR_OPTIONS: '' }, maxBuffer: 1024 ** 3 },
  );
  if (status !== 0) throw new Error(`tar failed: ${String(stderr)}${error?.message ?? ''}`);
  writeFileSync(archive, gzipSync(stdout));
}

export const SUMS_NAME = 'SHA256SUMS';
export const SIGNATURE_NAME = `${SUMS_NAME}.sig`;

/**
 * As sha256sum writes it.
 * @param {string} folder
 * @param {string[]} names
 */
function writeSums(folder, names) {
  const lines = names.toSorted().map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`);
  writeFileSync(join(folder, SUMS_NAME), lines.join(''));
}

/** @param {string} file */
export function readSigningKey(file) {
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is not an Ed25519 key`);
  return key;
}

/**
 * @param {string} folder
 * @param {import('node:crypto').KeyObject} key
 */
function signSums(folder, key) {
  writeFileSync(join(folder, SIGNATURE_NAME), sign(null, readFileSync(join(folder, SUMS_NAME)), key));
}
