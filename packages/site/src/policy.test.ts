import { expect, it } from 'vitest';
import { otherOriginsIn, pagePolicy } from './policy.ts';

it.each([[[]], [['https://s3.example.org']], [['https://s3.example.org', 'https://count.example.org']]])(
  'finds the other origins %j in a policy',
  (origins) => {
    expect(otherOriginsIn(pagePolicy(origins))).toEqual(origins);
  },
);

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
