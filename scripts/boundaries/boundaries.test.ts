// Proves that every dependency rule works: in planted/, the file with the name of a rule breaks that rule.
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import config from '../../.dependency-cruiser.mjs';
import { findViolations } from './cruise.mjs';

const rules = config.forbidden?.map(({ name }) => name ?? '') ?? [];
/** The rules that each planted file breaks, by the file's name without extension. */
const brokenRules = new Map<string, Set<string>>();

beforeAll(async () => {
  const { violations } = await findViolations(join(import.meta.dirname, 'planted'));
  for (const { from, rule } of violations) {
    const file = basename(from).replace(/\.tsx?$/, '');
    brokenRules.set(file, (brokenRules.get(file) ?? new Set()).add(rule.name));
  }
});

describe('a planted violation is reported', () => {
  test.each(rules)('%s', (rule) => {
    expect([...(brokenRules.get(rule) ?? [])]).toContain(rule);
  });
});

test('reports only the planted violations', () => {
  expect([...brokenRules.keys()].filter((file) => !rules.includes(file))).toEqual([]);
});

test('every rule has a comment that gives its reason', () => {
  expect(config.forbidden?.filter(({ comment }) => !comment)).toEqual([]);
});
