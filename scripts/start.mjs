// npm start: installs and builds what is missing, then becomes the server.
import { ensureBuilt } from './ensure-built.mjs';
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
ensureBuilt();
await import('../apps/server/src/main.ts');
