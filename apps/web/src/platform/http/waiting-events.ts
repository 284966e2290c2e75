// Events after which a waiting transfer tries again: the network is back, or the user has signed in. Signing in happens
// in a tab of its own. That tab and the one whose upload waits send each other messages, if the browser can. A message
// proves nothing: the waiting tab asks the server.
import type { OnlineEvents, SignInEvents } from '@furoshiki/transfer';
import { basePath } from '../device/site.ts';

type Message = 'signed-in' | 'continued';

/** Opened only while it is needed: an open channel keeps a page out of the browser's cache for the back button. */
function openChannel(onMessage: (message: Message) => void) {
  // Other sites on the same origin have other channels.
  const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(`furoshiki sign-in ${basePath}/`) : undefined;
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => onMessage(data));
  return { send: (message: Message) => channel?.postMessage(message), close: () => channel?.close() };
}

/** Besides a message: the user comes back to this tab, or the network does. */
export const browserSignInEvents: SignInEvents = {
  onMaybeSignedIn(listener) {
    const channel = openChannel((message) => {
      if (message === 'signed-in') listener();
    });
    const onVisible = () => {
      if (document.visibilityState === 'visible') listener();
    };
    document.addEventListener('visibilitychange', onVisible);
    // Two windows may be visible at the same time.
    addEventListener('focus', listener);
    addEventListener('online', listener);
    return () => {
      channel.close();
      document.removeEventListener('visibilitychange', onVisible);
      removeEventListener('focus', listener);
      removeEventListener('online', listener);
    };
  },
  onContinued() {
    const channel = openChannel(() => undefined);
    channel.send('continued');
    channel.close();
  },
};

/**
 * Tells waiting tabs that the user has signed in, and closes this tab when one of them has continued. Browsers close only
 * tabs that a page has opened. Returns the function that stops waiting for that.
 */
export function announceSignIn(closeTab: () => void): () => void {
  const channel = openChannel((message) => {
    if (message === 'continued') closeTab();
  });
  channel.send('signed-in');
  return () => channel.close();
}

/** Reports when the browser's connection may be back. */
export const browserOnlineEvents: OnlineEvents = {
  onOnline(listener) {
    // A tab that was suspended in the background may have missed the event.
    const onVisible = () => document.visibilityState === 'visible' && listener();
    addEventListener('online', listener);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      removeEventListener('online', listener);
      document.removeEventListener('visibilitychange', onVisible);
    };
  },
};
