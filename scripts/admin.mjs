#!/usr/bin/env node
// npm run admin -- <command>: installs what is missing, then becomes the operator's command.
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
await import('../apps/server/src/admin.ts');
