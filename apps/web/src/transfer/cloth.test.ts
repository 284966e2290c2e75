import { expect, it } from 'vitest';
import { foldOf } from './cloth.tsx';

it('is flat at the start and tied at the end', () => {
  expect(foldOf(0)).toEqual({ bottom: 1, top: 1, left: 1, right: 1, knot: 0 });
  expect(foldOf(1)).toEqual({ bottom: -1, top: -1, left: -1, right: -1, knot: 1 });
});

it('folds one corner at a time, and ties the knot after the last corner', () => {
  const steps = Array.from({ length: 101 }, (_, percent) => foldOf(percent / 100));
  const moving = steps.map(({ knot, ...corners }) => [
    ...Object.values(corners).map((corner) => Math.abs(corner) < 1),
    knot > 0 && knot < 1,
  ]);
  expect(Math.max(...moving.map((parts) => parts.filter(Boolean).length))).toBe(1);
  const tied = steps.filter(({ knot }) => knot > 0);
  expect(tied.every(({ bottom, top, left, right }) => bottom + top + left + right === -4)).toBe(true);
});

it('clamps values outside 0 to 1', () => {
  expect(foldOf(-1)).toEqual(foldOf(0));
  expect(foldOf(1.5)).toEqual(foldOf(1));
});
