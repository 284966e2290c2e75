import { describe, expect, it } from 'vitest';
import { createStore } from './engine.ts';

describe('a store', () => {
  const create = () => createStore((state: number, add: number) => state + add, 0);

  it('notifies its subscribers of every change until they unsubscribe', () => {
    const store = create();
    const seen: number[] = [];
    const leave = store.subscribe(() => seen.push(store.getState()));
    const dispatch = store.beginRun();
    dispatch(1);
    dispatch(0);
    dispatch(2);
    leave();
    dispatch(3);
    expect(seen).toEqual([1, 3]);
  });

  it('ignores actions of a run after the next one has begun', () => {
    const store = create();
    const late = store.beginRun();
    const current = store.beginRun();
    late(10);
    current(1);
    expect(store.getState()).toBe(1);
  });
});
