import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { throttleNotifications } from './use-engine.ts';

let notify = () => {};
let isSubscribed = false;
const subscribe = (listener: () => void) => {
  notify = listener;
  isSubscribed = true;
  return () => void (isSubscribed = false);
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('passes on the first change at once, and the changes that follow it closely as one', () => {
  const listener = vi.fn<() => void>();
  throttleNotifications(subscribe)(listener);
  for (let times = 0; times < 5; times += 1) notify();
  expect(listener).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(200);
  expect(listener).toHaveBeenCalledTimes(2);
  notify();
  vi.advanceTimersByTime(200);
  expect(listener).toHaveBeenCalledTimes(3);
});

it('stays silent without a change, and passes on the next change at once', () => {
  const listener = vi.fn<() => void>();
  throttleNotifications(subscribe)(listener);
  notify();
  vi.advanceTimersByTime(1000);
  expect(listener).toHaveBeenCalledTimes(1);
  notify();
  expect(listener).toHaveBeenCalledTimes(2);
});

it('is silent after unsubscribing', () => {
  const listener = vi.fn<() => void>();
  const unsubscribe = throttleNotifications(subscribe)(listener);
  notify();
  notify();
  unsubscribe();
  expect(isSubscribed).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(listener).toHaveBeenCalledTimes(1);
});
