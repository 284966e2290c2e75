import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { throttleNotifications } from './throttle-notifications.ts';

let tell = () => {};
let isSubscribed = false;
const subscribe = (listener: () => void) => {
  tell = listener;
  isSubscribed = true;
  return () => void (isSubscribed = false);
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('tells the first news at once, and what follows it closely together', () => {
  const listener = vi.fn<() => void>();
  throttleNotifications(subscribe)(listener);
  for (let times = 0; times < 5; times += 1) tell();
  expect(listener).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(100);
  expect(listener).toHaveBeenCalledTimes(2);
  tell();
  vi.advanceTimersByTime(100);
  expect(listener).toHaveBeenCalledTimes(3);
});

it('tells nothing where there is no news, and the next at once', () => {
  const listener = vi.fn<() => void>();
  throttleNotifications(subscribe)(listener);
  tell();
  vi.advanceTimersByTime(1000);
  expect(listener).toHaveBeenCalledTimes(1);
  tell();
  expect(listener).toHaveBeenCalledTimes(2);
});

it('is silent once nobody listens', () => {
  const listener = vi.fn<() => void>();
  const end = throttleNotifications(subscribe)(listener);
  tell();
  tell();
  end();
  expect(isSubscribed).toBe(false);
  vi.advanceTimersByTime(1000);
  expect(listener).toHaveBeenCalledTimes(1);
});
