// npm run cli:pack [-- <folder>]: packs the command line client, one file without dependencies.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RECORD_NAME } from '../../scripts/build-record.mjs';
import { DIST, ensureBuilt } from '../../scripts/ensure-built.mjs';
import { ensureInstalled } from '../../scripts/ensure-installed.mjs';
import { ROOT, toolEnv } from '../../scripts/paths.mjs';
import { onPinnedNode } from '../../scripts/pinned-node.mjs';

ensureInstalled();
await onPinnedNode(import.meta.url);

const CLI = join(ROOT, 'apps', 'cli');
const OUT = process.argv[2] ?? join(CLI, 'dist');
const BUNDLED = ['lean-qr', 'zod'];
const { version, license } = JSON.parse(readFileSync(join(CLI, 'package.json'), 'utf8'));

/** Node 20 lacks it. */
const POLYFILL = `Promise.withResolvers ??= function () {
  let resolve, reject;
  const promise = new this((a, b) => { resolve = a; reject = b; });
  return { promise, resolve, reject };
};`;

/**
 * Its own file, in syntax that old versions of Node know: they would refuse to parse the rest, with errors that help no one. Shows the
 * version by itself: to parse the rest takes three times as long as Node needs to start.
 */
const STARTER = `#!/usr/bin/env node
var version = process.versions.node.split('.').map(Number);
if (version[0] < 20 || (version[0] === 20 && version[1] < 12)) {
  console.error('furoshiki: This program needs Node 20.12 or newer. This is Node ' + process.versions.node + '.');
  process.exitCode = 1;
} else if (process.argv[2] === '--version') {
  console.log('furoshiki ${version}');
} else {
  import('./program.mjs');
}
`;

// `furoshiki verify` compares servers with this build.
ensureBuilt();
rmSync(OUT, { recursive: true, force: true });
const { build } = await import('vite');
await build({
  root: CLI,
  configFile: false,
  logLevel: 'warn',
  ssr: { noExternal: true },
  build: {
    ssr: join(CLI, 'src', 'main.ts'),
    outDir: OUT,
    target: 'node20',
    minify: true,
    rolldownOptions: {
      output: { entryFileNames: 'program.mjs', codeSplitting: false, banner: POLYFILL },
    },
  },
});

const { manPage } = await import('../../apps/cli/src/args/help.ts');
const { completionsFor, SHELLS } = await import('../../apps/cli/src/commands/completions.ts');
mkdirSync(join(OUT, 'completions'));
writeFileSync(join(OUT, 'furoshiki.mjs'), STARTER, { mode: 0o755 });
writeFileSync(join(OUT, 'furoshiki.1'), manPage(version));
for (const shell of SHELLS) writeFileSync(join(OUT, 'completions', `furoshiki.${shell}`), completionsFor(shell));
copyFileSync(join(DIST, RECORD_NAME), join(OUT, 'release.json'));
copyFileSync(join(CLI, 'README.md'), join(OUT, 'README.md'));
copyFileSync(join(ROOT, 'LICENSE'), join(OUT, 'LICENSE'));
writeFileSync(join(OUT, 'THIRD-PARTY-LICENSES'), BUNDLED.map(licenseOf).join('\n\n'));
writeFileSync(
  join(OUT, 'package.json'),
  `${JSON.stringify(
    {
      name: 'furoshiki-cli',
      version,
      description: 'Sends and receives files, encrypted, from a terminal.',
      license,
      type: 'module',
      bin: { furoshiki: 'furoshiki.mjs' },
      man: ['furoshiki.1'],
      engines: { node: '>=20.12' },
      files: ['furoshiki.mjs', 'program.mjs', 'release.json', 'furoshiki.1', 'completions', 'THIRD-PARTY-LICENSES'],
    },
    null,
    2,
  )}\n`,
);
const packed = spawnSync('npm', ['pack', '--silent'], { cwd: OUT, encoding: 'utf8', env: toolEnv() });
if (packed.status !== 0) throw new Error(`npm pack failed: ${packed.stderr}`);
console.log(join(OUT, packed.stdout.trim()));

/** @param {string} name */
function licenseOf(name) {
  return `${name}\n\n${readFileSync(join(ROOT, 'node_modules', name, 'LICENSE'), 'utf8')}`;
}
