// npm run release [-- --out <folder> --key <Ed25519 private key, PEM> --tag <tag> --image <name>]: makes the files of a
// release. Publishes nothing. With --tag it refuses a tag that is not signed; with --image it writes a compose file.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readRecord } from '../../scripts/build-record.mjs';
import { DIST, ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ensureInstalled } from '../../scripts/ensure-installed.mjs';
import { ROOT } from '../../scripts/paths.mjs';
import { onPinnedNode } from '../../scripts/pinned-node.mjs';
import { makeArtefacts, readSigningKey, SIGNATURE_NAME, SUMS_NAME } from './artefacts.mjs';
import { CLIENT_PLATFORMS, SERVER_PLATFORMS } from './node-of-platform.mjs';
import { notesOf, reasonAgainstRelease, reasonAgainstTag, releasedCommit } from './releasable.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
try {
  const { values } = parseArgs({
    options: {
      out: { type: 'string' },
      key: { type: 'string' },
      tag: { type: 'string' },
      image: { type: 'string' },
    },
  });
  const key = values.key === undefined ? undefined : readSigningKey(values.key);
  const reason = reasonAgainstRelease(ROOT) ?? (values.tag && reasonAgainstTag(ROOT, values.tag));
  if (reason) throw new Error(reason);
  const { commit, timeS } = releasedCommit(ROOT);
  ensureBuilt();
  const built = readRecord(DIST);
  if (built.commit !== commit) throw new Error(`the web app was built from ${built.commit}, not from ${commit}`);
  const out = resolve(values.out ?? join(ROOT, 'dist', 'release'));
  makeArtefacts(out, {
    commit,
    timeS,
    platforms: SERVER_PLATFORMS,
    clientPlatforms: CLIENT_PLATFORMS,
    ...(key && { key }),
    ...(values.image !== undefined && { image: values.image }),
  });
  // Not among the sums: it is the text of the release, not a part of it.
  writeFileSync(join(out, 'NOTES.md'), notesOf(ROOT));
  console.log(`Furoshiki ${built.version}, commit ${commit}, is in ${out}`);
  if (!key) console.log(`${SIGNATURE_NAME} is missing: without --key, ${SUMS_NAME} is not signed.`);
} catch (error) {
  console.error(`npm run release: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
