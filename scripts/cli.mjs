#!/usr/bin/env node
// npm run cli -- <command>: installs what is missing, then runs the command line client in this process.
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
// npm runs this in the root of the clone. Paths are meant from where the user is.
if (process.env['INIT_CWD']) process.chdir(process.env['INIT_CWD']);
await import('../apps/cli/src/main.ts');
