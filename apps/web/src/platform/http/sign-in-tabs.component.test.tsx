// The messages between the tab of the sign-in and the tab whose upload waits, by the browser's own channel.
import { afterEach, expect, test, vi } from 'vitest';
import { announceSignIn, browserSignInEvents } from './waiting-events.ts';

const cleanups: (() => void)[] = [];
afterEach(() => cleanups.splice(0).forEach((clean) => clean()));

/** A tab whose upload waits. */
function waitingTab(listener: () => void) {
  const stop = browserSignInEvents.onMaybeSignedIn(listener);
  cleanups.push(stop);
  return stop;
}

test('the tab of the sign-in is closed when a waiting tab has continued, and not before', async () => {
  const [onSignedIn, closeTab] = [vi.fn<() => void>(), vi.fn<() => void>()];
  waitingTab(onSignedIn);
  cleanups.push(announceSignIn(closeTab));
  await expect.poll(() => onSignedIn.mock.calls.length).toBe(1);
  expect(closeTab).not.toHaveBeenCalled();
  browserSignInEvents.onContinued();
  await expect.poll(() => closeTab.mock.calls.length).toBe(1);
  // Its own message is not a sign-in.
  expect(onSignedIn).toHaveBeenCalledOnce();
});

test('all waiting tabs get the message', async () => {
  const [one, other] = [vi.fn<() => void>(), vi.fn<() => void>()];
  waitingTab(one);
  waitingTab(other);
  cleanups.push(announceSignIn(() => undefined));
  await expect.poll(() => [one, other].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test.each(['focus', 'online'])('a tab without messages asks on %s', (type) => {
  const onSignedIn = vi.fn<() => void>();
  const stop = waitingTab(onSignedIn);
  dispatchEvent(new Event(type));
  expect(onSignedIn).toHaveBeenCalledOnce();
  stop();
  dispatchEvent(new Event(type));
  expect(onSignedIn).toHaveBeenCalledOnce();
});

test('a tab asks when it becomes visible, not when it is hidden', () => {
  const onSignedIn = vi.fn<() => void>();
  waitingTab(onSignedIn);
  const state = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  document.dispatchEvent(new Event('visibilitychange'));
  expect(onSignedIn).not.toHaveBeenCalled();
  state.mockReturnValue('visible');
  document.dispatchEvent(new Event('visibilitychange'));
  expect(onSignedIn).toHaveBeenCalledOnce();
});

test('a browser without channels still asks when the user comes back', () => {
  vi.stubGlobal('BroadcastChannel', undefined);
  Reflect.deleteProperty(globalThis, 'BroadcastChannel');
  const onSignedIn = vi.fn<() => void>();
  waitingTab(onSignedIn);
  announceSignIn(() => undefined)();
  browserSignInEvents.onContinued();
  dispatchEvent(new Event('focus'));
  expect(onSignedIn).toHaveBeenCalledOnce();
  vi.unstubAllGlobals();
});
