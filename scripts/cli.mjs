#!/usr/bin/env node
// npm run cli -- <command>: installs what is missing, then runs the command line client in this process.
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
await import('../apps/cli/src/main.ts');
