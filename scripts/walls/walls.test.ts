// Proves that every wall stands: in planted/, the file named after a rule breaks it, and no other file breaks any.
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import config from '../../.dependency-cruiser.mjs';
import { cruiseWalls } from './cruise.mjs';

const rules = config.forbidden?.map(({ name }) => name ?? '') ?? [];
const brokenBy = new Map<string, Set<string>>();

beforeAll(async () => {
  const { violations } = await cruiseWalls(join(import.meta.dirname, 'planted'));
  for (const { from, rule } of violations) {
    const file = basename(from).replace(/\.tsx?$/, '');
    brokenBy.set(file, (brokenBy.get(file) ?? new Set()).add(rule.name));
  }
});

describe('a planted violation is caught', () => {
  test.each(rules)('%s', (rule) => {
    expect([...(brokenBy.get(rule) ?? [])]).toContain(rule);
  });
});

test('only the planted violations are reported', () => {
  expect([...brokenBy.keys()].filter((file) => !rules.includes(file))).toEqual([]);
});

test('every rule explains itself', () => {
  expect(config.forbidden?.filter(({ comment }) => !comment)).toEqual([]);
});
