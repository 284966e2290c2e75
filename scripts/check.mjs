// npm run check: format, lint, types, boundaries and dead code, without running any test.
import { runChecks } from './checks.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
const count = await runChecks();
// To `npm test`, which runs this beside its preparations.
process.send?.(count);
process.exitCode = count.failed > 0 ? 1 : 0;
