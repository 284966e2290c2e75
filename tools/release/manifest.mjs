#!/usr/bin/env node
// npm run manifest -- PUBLIC_ORIGIN=https://files.example.org …: builds the web app if needed, and prints the manifest of
// a server with these settings. Settings may also come from the environment, as for the server. With --published they do not:
// it is then the manifest of the release, which is valid for every server that serves the published client. --timestamp=<file>
// and --revision=<number> are passed on.
import { ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ensureInstalled } from '../../scripts/ensure-installed.mjs';
import { onPinnedNode } from '../../scripts/pinned-node.mjs';

const PUBLISHED = '--published';
const isPublished = process.argv.includes(PUBLISHED);

ensureInstalled();
await onPinnedNode(import.meta.url);
ensureBuilt();
const { variables } = await import('../../apps/server/src/config/config-variables.ts');
const given = process.argv.splice(2).filter((one) => one !== PUBLISHED);
if (isPublished) for (const name of Object.keys(variables)) delete process.env[name];
for (const setting of given.filter((one) => !one.startsWith('--'))) {
  const [, name, value] = /^(\w+)=(.*)$/su.exec(setting) ?? [];
  if (name === undefined || value === undefined || !(name in variables)) {
    console.error(`furoshiki: ${setting} is not a setting such as PUBLIC_ORIGIN=https://files.example.org`);
    process.exit(2);
  }
  process.env[name] = value;
}
// The address of the store does not depend on its keys, which the machine that makes the manifest need not have.
if (process.env['S3_BUCKET'] !== undefined)
  for (const name of ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) process.env[name] ??= 'not-needed';
process.argv.push('manifest', ...given.filter((one) => one.startsWith('--')));
await import('../../apps/server/src/admin.ts');
