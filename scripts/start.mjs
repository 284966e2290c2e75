// npm start: installs and builds what is missing, then runs the server in this process.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
ensureBuilt();
await import('../apps/server/src/main.ts');
