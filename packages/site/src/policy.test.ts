import { expect, it } from 'vitest';
import { otherOriginsIn, pagePolicy } from './policy.ts';

it.each([[[]], [['https://s3.example.org']], [['https://s3.example.org', 'https://count.example.org']]])(
  'finds the other origins %j in a policy',
  (origins) => {
    expect(otherOriginsIn(pagePolicy(origins))).toEqual(origins);
  },
);

it('allows the import map of the release, and finds it in a policy', () => {
  const release = { version: '1', commit: null, files: { 'import-map.json': `${'00'.repeat(31)}ff` } };
  const policy = pagePolicy(['https://s3.example.org'], release);
  expect(policy).toContain(`;script-src 'self' 'sha256-${'A'.repeat(41)}P8=';`);
  expect(otherOriginsIn(policy, release)).toEqual(['https://s3.example.org']);
  expect(otherOriginsIn(policy)).toBeUndefined();
});

it.each([
  ['nothing', ''],
  ['another script source', pagePolicy([]).replace("script-src 'self'", "script-src 'self' https://evil.example")],
  ['a missing directive', pagePolicy([]).replace("worker-src 'self';", '')],
  ['one more directive', `${pagePolicy([])};script-src-elem *`],
  ['a second policy', `${pagePolicy([])}, default-src *`],
  ['a directive before the connections', `script-src *;${pagePolicy([])}`],
])('has no origins for a policy with %s', (_, policy) => {
  expect(otherOriginsIn(policy)).toBeUndefined();
});
