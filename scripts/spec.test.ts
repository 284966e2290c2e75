import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './paths.mjs';

const text = readFileSync(join(ROOT, 'docs', 'SPEC.md'), 'utf8');
const rows = text.split('\n').filter((line) => /^\| (?!what the|---)/u.test(line));
const PROOF = /`(?<path>[\w./-]+\.(?:test|spec|contract)\.tsx?)` "(?<title>[^"]+)"/gu;

/** Paths are shortened as in docs/ARCHITECTURE.md. */
function sourceOf(path: string): string | undefined {
  const whole = path
    .replace(/^(format|api|site|transfer|texts)\//u, 'packages/$1/src/')
    .replace(/^(web|server)\//u, 'apps/$1/src/');
  return existsSync(join(ROOT, whole)) ? readFileSync(join(ROOT, whole), 'utf8') : undefined;
}

it('every statement of the specification has a test, or a reason why it differs', () => {
  expect(rows.length).toBeGreaterThan(200);
  expect(rows.filter((row) => row.match(PROOF) === null && !row.includes('Differs: '))).toEqual([]);
});

it('every named test exists', () => {
  const proofs = [...text.matchAll(PROOF)].flatMap(({ groups }) => (groups ? [groups] : []));
  const missing = proofs.filter(({ path = '', title = '' }) => {
    const source = sourceOf(path);
    return !["'", '"', '`'].some((quote) => source?.includes(quote + title + quote));
  });
  expect(proofs.length).toBeGreaterThan(rows.length);
  expect(missing.map(({ path, title }) => `${path}: ${title}`)).toEqual([]);
});
