// Installs and starts with the npm versions that people have.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NPM_VERSIONS, npmFolder } from './npm-folder.mjs';
import { ROOT } from './paths.mjs';

interface Lockfile {
  packages: Record<string, { optionalDependencies?: Record<string, string>; bin?: Record<string, string> }>;
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-npm-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Creates a repository that has no dependency but the locked packages of Node, and returns a script that installs. */
function makeRepository(): string {
  mkdirSync(join(folder, 'scripts'));
  for (const name of ['ensure-installed.mjs', 'lock.mjs', 'paths.mjs'])
    copyFileSync(join(ROOT, 'scripts', name), join(folder, 'scripts', name));
  copyFileSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'));
  const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;
  const description = { name: 'test', optionalDependencies: lockfile.packages['']?.optionalDependencies };
  const nodes = Object.entries(lockfile.packages).filter(([, { bin }]) => bin?.['node'] !== undefined);
  const packages = { '': description, ...Object.fromEntries(nodes) };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(description));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...description, lockfileVersion: 3, packages }));
  const script = join(folder, 'scripts', 'install.mjs');
  writeFileSync(script, `import { ensureInstalled } from './ensure-installed.mjs';\nensureInstalled();\n`);
  return script;
}

it.each(NPM_VERSIONS)('npm %s installs the Node of this platform, once', (version) => {
  const script = makeRepository();
  const PATH = [npmFolder(version), dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, PATH } });
    return { status, stdout, stderr };
  };
  expect(run('npm', '--version').stdout).toBe(`${version}\n`);
  expect(run(process.execPath, script)).toEqual({ status: 0, stdout: '', stderr: 'Installing dependencies…\n' });
  const installed = run(join(folder, 'node_modules', '.bin', 'node'), '--version');
  expect(installed).toEqual({ status: 0, stdout: `${process.version}\n`, stderr: '' });
  expect(run(process.execPath, script)).toEqual({ status: 0, stdout: '', stderr: '' });
});
