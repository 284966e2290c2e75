#!/usr/bin/env node
// npm run cli -- <command>: installs what is missing, then runs the command line client in this process.
import { ensureInstalled } from './ensure-installed.mjs';
import { onPinnedNode } from './pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
// npm runs this in the root of the clone. Paths are meant from where the user is.
const { npm_lifecycle_event: script, INIT_CWD: folder } = process.env;
if (script === 'cli' && folder) process.chdir(folder);
await import('../apps/cli/src/main.ts');
