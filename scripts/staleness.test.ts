// A build is stale if the contents of its inputs have changed, an installation if the locked versions have.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contentHash } from './content-hash.mjs';
import { isIgnoredByBuild } from './ensure-built.mjs';
import { isInstalled } from './ensure-installed.mjs';

describe('the build hash', () => {
  let root = '';
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const hash = () => contentHash(root, ['apps/web', 'packages', 'package-lock.json'], isIgnoredByBuild);

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'furoshiki-hash-'));
    write('apps/web/src/main.tsx', 'main');
    write('packages/format/src/index.ts', 'core');
  });
  afterEach(() => rmSync(root, { recursive: true }));

  test('does not change when a file is written again with the same content', () => {
    const before = hash();
    write('apps/web/src/main.tsx', 'main');
    expect(hash()).toBe(before);
  });

  test.each([
    ['a changed source', 'apps/web/src/main.tsx'],
    ['a new source in a package', 'packages/format/src/new.ts'],
    ['a new public file', 'apps/web/public/robots.txt'],
    ['a changed lockfile', 'package-lock.json'],
  ])('changes with %s', (_, path) => {
    const before = hash();
    write(path, 'other');
    expect(hash()).not.toBe(before);
  });

  test.each(['apps/web/dist/index.html', 'packages/format/src/index.test.ts', 'packages/transfer/testing/fake.ts'])(
    'ignores %s',
    (path) => {
      const before = hash();
      write(path, 'other');
      expect(hash()).toBe(before);
    },
  );

  test('changes when content moves from one file to another', () => {
    write('apps/web/src/a', 'xy');
    write('apps/web/src/b', '');
    const before = hash();
    write('apps/web/src/a', 'x');
    write('apps/web/src/b', 'y');
    expect(hash()).not.toBe(before);
  });
});

describe('the installation', () => {
  const zod = { version: '4.0.0', integrity: 'sha512-a' };
  const lock = (packages: Record<string, object>) => ({ packages: { '': {}, 'apps/web': {}, ...packages } });

  test('is current if every locked package is installed', () => {
    expect(isInstalled(lock({ 'node_modules/zod': zod }), { packages: { 'node_modules/zod': zod } })).toBe(true);
  });

  test.each([
    ['a package is missing', {}],
    ['a version differs', { 'node_modules/zod': { ...zod, version: '4.0.1' } }],
    ['the content differs', { 'node_modules/zod': { ...zod, integrity: 'sha512-b' } }],
  ])('is stale when %s', (_, packages) => {
    expect(isInstalled(lock({ 'node_modules/zod': zod }), { packages })).toBe(false);
  });

  const node = (platform: object) =>
    lock({ 'node_modules/node': { ...zod, ...platform, optional: true, bin: { node: 'bin/node' } } });

  test('does not need packages for other platforms', () => {
    expect(isInstalled(lock({ 'node_modules/win32': { ...zod, optional: true } }), { packages: {} })).toBe(true);
    expect(isInstalled(node({ os: 'aix', cpu: process.arch }), { packages: {} })).toBe(true);
  });

  test.each([process.platform, [process.platform]])('is stale without the Node of this platform (%j)', (os) => {
    expect(isInstalled(node({ os, cpu: process.arch }), { packages: {} })).toBe(false);
  });
});
