import { expect, it } from 'vitest';
import { rangeOf } from './media-requests.ts';

const MB = 1024 * 1024;

it.each([
  ['bytes=0-', { start: 0, most: 4 * MB }],
  ['bytes=0-1', { start: 0, most: 2 }],
  ['bytes=5000000000-', { start: 5_000_000_000, most: 4 * MB }],
  ['bytes=10-99999999', { start: 10, most: 4 * MB }],
  ['bytes=10-10', { start: 10, most: 1 }],
])('reads the range %s', (header, expected) => {
  expect(rangeOf(header)).toEqual(expected);
});

it.each([
  null,
  '',
  'bytes=',
  'bytes=-5',
  'bytes=5-4',
  'bytes=0-1,3-4',
  'bytes=a-b',
  'items=0-1',
  'bytes=1e3-',
  'bytes=0-1 ',
])('refuses the range %j', (header) => {
  expect(rangeOf(header)).toBeUndefined();
});
