// npm run docs: updates the parts of the docs that are generated from code.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';
import { ROOT } from './paths.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
const { withCommands, withVariables } = await import('./generated-docs.mjs');

/**
 * @param {string} name
 * @param {(page: string) => string} update
 */
function rewrite(name, update) {
  const path = join(ROOT, 'docs', name);
  writeFileSync(path, update(readFileSync(path, 'utf8')));
}

rewrite('OPERATING.md', withVariables);
rewrite('CLI.md', withCommands);
