// npm run docs: updates the parts of the docs that are generated from code.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { ROOT } from './paths.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
const { withVariables } = await import('./operating-docs.mjs');
const path = join(ROOT, 'docs', 'OPERATING.md');
writeFileSync(path, withVariables(readFileSync(path, 'utf8')));
