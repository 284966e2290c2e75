import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { variables } from '../apps/server/src/config-variables.ts';
import { findProgram } from './ensure-debian-packages.mjs';
import { ROOT } from './paths.mjs';

const read = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');
/** What the image sets for Node and the shell. */
const NOT_OURS = new Set(['PATH', 'NODE_ENV']);

it.each(['compose.one.yml', 'compose.many.yml'])('sets nothing in %s that the server does not know', (name) => {
  const [, service = ''] = /\n {2}furoshiki:\n([\s\S]+?)\n {2}\w+:\n/u.exec(read(name)) ?? [];
  const names = Array.from(service.matchAll(/^ {6}([A-Z][A-Z0-9_]+):/gmu), ([, variable]) => variable);
  expect(names.length).toBeGreaterThan(1);
  expect(names.filter((variable) => !Object.hasOwn(variables, variable ?? ''))).toEqual([]);
});

it('sets nothing in the image that the server does not know', () => {
  const [, line = ''] = /^ENV (.+)$/mu.exec(read('Containerfile')) ?? [];
  const names = Array.from(line.matchAll(/(\w+)=/gu), ([, variable]) => variable ?? '');
  expect(names).toContain('DATA_DIR');
  expect(names.filter((name) => !NOT_OURS.has(name) && !Object.hasOwn(variables, name))).toEqual([]);
});

it.skipIf(findProgram('caddy') === undefined)('has a Caddyfile for many servers that Caddy understands', () => {
  const args = ['validate', '--adapter', 'caddyfile', '--config', join(ROOT, 'deploy', 'Caddyfile.many')];
  const env = { PATH: process.env['PATH'], HOME: '/tmp', SITE: 'files.example.org', STORE: 'bytes.example.org' };
  const { status, stderr } = spawnSync(findProgram('caddy') ?? '', args, { encoding: 'utf8', env });
  expect(status, stderr).toBe(0);
});
