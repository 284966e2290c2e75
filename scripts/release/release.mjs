// npm run release [-- --key <Ed25519 private key, PEM> --out <folder>]: makes the files of a release. Publishes nothing.
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readRecord } from '../build-record.mjs';
import { DIST, ensureBuilt } from '../ensure-built.mjs';
import { ensureInstalled } from '../ensure-installed.mjs';
import { ROOT } from '../paths.mjs';
import { onPinnedNode } from '../pinned-node.mjs';
import { makeArtefacts } from './artefacts.mjs';
import { reasonAgainstRelease, releasedCommit } from './releasable.mjs';
import { readSigningKey, SIGNATURE_NAME, SUMS_NAME } from './sums.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
try {
  const { values } = parseArgs({ options: { key: { type: 'string' }, out: { type: 'string' } } });
  const key = values.key === undefined ? undefined : readSigningKey(values.key);
  const reason = reasonAgainstRelease(ROOT);
  if (reason !== undefined) throw new Error(reason);
  const { commit, timeS } = releasedCommit(ROOT);
  ensureBuilt();
  const built = readRecord(DIST);
  if (built.commit !== commit) throw new Error(`the web app was built from ${built.commit}, not from ${commit}`);
  const out = resolve(values.out ?? join(ROOT, 'dist', 'release'));
  makeArtefacts(out, timeS, key);
  console.log(`Furoshiki ${built.version}, commit ${commit}, is in ${out}`);
  if (!key) console.log(`${SIGNATURE_NAME} is missing: without --key, ${SUMS_NAME} is not signed.`);
} catch (error) {
  console.error(`npm run release: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
