// The messages between the tab of the sign-in and the tab whose upload waits, by the browser's own channel.
import { afterEach, expect, test, vi } from 'vitest';
import { announceSignIn, browserSignInEvents } from './sign-in-tabs.ts';

const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((clean) => clean()));

/** A tab that waits, and that continues once it is told. */
function waitingTab(onSignedIn: () => void) {
  const stop = browserSignInEvents.onMaybeSignedIn(onSignedIn);
  cleanups.push(stop);
  return stop;
}

test('the tab of the sign-in is closed when a waiting tab has continued, and not before', async () => {
  const [told, closeTab] = [vi.fn(), vi.fn()];
  waitingTab(told);
  cleanups.push(announceSignIn(closeTab));
  await expect.poll(() => told.mock.calls.length).toBe(1);
  expect(closeTab).not.toHaveBeenCalled();
  browserSignInEvents.onContinued();
  await expect.poll(() => closeTab.mock.calls.length).toBe(1);
  // Its own message is not a sign-in.
  expect(told).toHaveBeenCalledOnce();
});

test('all waiting tabs are told', async () => {
  const [one, other] = [vi.fn(), vi.fn()];
  waitingTab(one);
  waitingTab(other);
  cleanups.push(announceSignIn(() => undefined));
  await expect.poll(() => [one, other].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test.each(['focus', 'online'])('a tab without messages asks on %s', (type) => {
  const told = vi.fn();
  const stop = waitingTab(told);
  dispatchEvent(new Event(type));
  expect(told).toHaveBeenCalledOnce();
  stop();
  dispatchEvent(new Event(type));
  expect(told).toHaveBeenCalledOnce();
});

test('a tab asks when it becomes visible, not when it is hidden', () => {
  const told = vi.fn();
  waitingTab(told);
  const state = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
  expect(told).not.toHaveBeenCalled();
  state.mockReturnValue('visible');
  document.dispatchEvent(new Event('visibilitychange'));
  expect(told).toHaveBeenCalledOnce();
});

test('a browser without channels still asks when the user comes back', () => {
  vi.stubGlobal('BroadcastChannel', undefined);
  Reflect.deleteProperty(globalThis, 'BroadcastChannel');
  const told = vi.fn();
  waitingTab(told);
  announceSignIn(() => undefined)();
  browserSignInEvents.onContinued();
  dispatchEvent(new Event('focus'));
  expect(told).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});
