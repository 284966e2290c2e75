// npm run build: installs and builds what is missing, and prints what identifies the build.
import { rmSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { fingerprintOf, readRecord, recordOf } from './build-record.mjs';
import { DIST, ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
ensureBuilt();
const { version, commit } = readRecord(DIST);
if (!isDeepStrictEqual(recordOf(DIST, { version, commit }), readRecord(DIST))) {
  console.error('The files of the build were changed. They are built again.');
  rmSync(DIST, { recursive: true });
  ensureBuilt();
}
console.log(`version      ${version}`);
console.log(`commit       ${commit ?? 'none: the sources differ from every commit, or this is not a clone'}`);
console.log(`fingerprint  ${fingerprintOf(DIST)}`);
