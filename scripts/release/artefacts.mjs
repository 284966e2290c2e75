// Makes the files of a release from the sources and the built web app.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readRecord, RECORD_NAME, recordOf } from '../build-record.mjs';
import { DIST } from '../ensure-built.mjs';
import { ROOT, toolEnv } from '../paths.mjs';
import { billOfMaterials } from '../supply-chain/bill-of-materials.mjs';
import { archiveFolder } from './archive.mjs';
import { SIGNATURE_NAME, signSums, writeSums } from './sums.mjs';

/**
 * @param {string} out
 * @param {number} timeS of the commit
 * @param {import('node:crypto').KeyObject} [key]
 */
export function makeArtefacts(out, timeS, key) {
  const record = readRecord(DIST);
  if (!isDeepStrictEqual(recordOf(DIST, record), record))
    throw new Error(`${DIST} has changed since it was built: remove it`);
  const { version } = record;
  const names = {
    server: `furoshiki-server-${version}.tar.gz`,
    client: `furoshiki-cli-${version}.tgz`,
    record: `furoshiki-${version}.${RECORD_NAME}`,
    materials: `furoshiki-${version}.sbom.cdx.json`,
  };
  mkdirSync(out, { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), 'furoshiki-release-'));
  try {
    const server = `furoshiki-server-${version}`;
    write('release/server-bundle.mjs', join(scratch, server));
    archiveFolder(join(out, names.server), scratch, server, timeS);
    // npm expects this name of the folder. What `npm pack` made is removed, because its bytes depend on npm.
    rmSync(write('pack-cli.mjs', join(scratch, 'package')));
    archiveFolder(join(out, names.client), scratch, 'package', timeS);
  } finally {
    rmSync(scratch, { recursive: true });
  }
  copyFileSync(join(DIST, RECORD_NAME), join(out, names.record));
  const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  writeFileSync(join(out, names.materials), `${JSON.stringify(billOfMaterials(lockfile), null, 2)}\n`);
  writeSums(out, Object.values(names));
  rmSync(join(out, SIGNATURE_NAME), { force: true }); // it belongs to other sums
  if (key) signSums(out, key);
}

/**
 * Runs a script that writes into a folder, with an environment in which no tool builds for development.
 * @param {string} script
 * @param {string} folder
 * @returns {string} what it printed
 */
function write(script, folder) {
  const env = { ...toolEnv(), NODE_ENV: 'production' };
  const run = spawnSync('node', [join(ROOT, 'scripts', script), folder], { encoding: 'utf8', env });
  if (run.status !== 0) throw new Error(`${script} failed: ${run.stderr}${run.error?.message ?? ''}`);
  return run.stdout.trim();
}
