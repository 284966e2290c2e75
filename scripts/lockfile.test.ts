// Checks that package-lock.json installs on every supported platform and from any registry.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface LockedPackage {
  resolved?: string;
  link?: boolean;
  optionalDependencies?: Record<string, string>;
}

const { packages } = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};

// npm omits packages from the lockfile that the registry does not have at that time. A later installation on another
// platform then misses them without an error.
it.each(['x64', 'arm64'])('locks every native package that Linux on %s needs', (cpu) => {
  const needed = Object.values(packages)
    .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
    .filter((name) => new RegExp(`linux-${cpu}(-gnu)?$`, 'u').test(name));
  expect(needed).toContainEqual(expect.stringMatching(/^@rolldown\//u));
  expect(needed.filter((name) => !(`node_modules/${name}` in packages))).toEqual([]);
});

it('records no download addresses', () => {
  const addresses = Object.values(packages).filter(({ resolved, link }) => resolved !== undefined && !link);
  expect(addresses).toEqual([]);
});
