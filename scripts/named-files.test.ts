// The files that the docs name in backticks exist.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './paths.mjs';

/** Those that git knows, or would add: not what is built or installed. */
const { stdout } = spawnSync('git', ['-c', 'safe.directory=*', 'ls-files', '-co', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
});
const paths = stdout.split('\n').filter((path) => path !== '');
const folders = new Set(paths.flatMap((path) => path.split('/').map((_, depth, all) => all.slice(0, depth).join('/'))));

/** A name may leave out the beginning of its path, and `<name>` and `*` stand for any part of one. */
function exists(name: string): boolean {
  const pattern = name
    .replace(/\/$/u, '')
    .replaceAll(/[.+()]/gu, String.raw`\$&`)
    .replaceAll(/<\w+>|\*+/gu, '[^/]*')
    .replaceAll(/\{([\w,-]+)\}/gu, (_, names: string) => `(${names.replaceAll(',', '|')})`);
  // As in docs/ARCHITECTURE.md: `server/http` is apps/server/src/http.
  const whole = pattern
    .replace(/^(format|api|site|transfer|texts)\//u, 'packages/$1/src/')
    .replace(/^(web|server|cli)\//u, 'apps/$1/src/');
  const isNamed = new RegExp(`(^|/)(${pattern}|${whole})$`, 'u');
  return paths.some((path) => isNamed.test(path)) || [...folders].some((path) => isNamed.test(path));
}

/** Words in backticks that have the ending of a source file or a slash at their end, such as `scripts/test.mjs`. */
const namesIn = (text: string) =>
  [...text.matchAll(/`([\w@./<>*{},-]+(?:\.(?:tsx?|mjs|json|md|css|sh|yml|conf|caddy)|\/))`/gu)].map(
    ([, name = '']) => name,
  );

/** They are no files of the repository. */
const ELSEWHERE = new Set(['build.json', 'package-lock.json', 'data/', 'dist/', 'node_modules/']);

describe.each([
  ['CONTRIBUTING.md', 50],
  ['docs/ARCHITECTURE.md', 100],
  ['docs/THREAT-MODEL.md', 30],
])('%s', (page, atLeast) => {
  const names = namesIn(readFileSync(join(ROOT, page), 'utf8')).filter((name) => !ELSEWHERE.has(name));

  it('names only files that exist', () => {
    expect(names.length).toBeGreaterThan(atLeast);
    expect(names.filter((name) => !exists(name))).toEqual([]);
  });
});

it('finds out that a file does not exist', () => {
  expect(['scripts/no-such-file.mjs', 'server/http/no-such-file.ts', 'estart.mjs'].filter(exists)).toEqual([]);
});
