#!/usr/bin/env node
// npm run admin -- <command>: installs what is missing, then runs the operator's command in this process.
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
await import('../apps/server/src/admin.ts');
