// npm run check: format, lint, types, boundaries and dead code, without running any test.
import { runChecks } from './checks.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
const { failed } = await runChecks();
process.exitCode = failed > 0 ? 1 : 0;
