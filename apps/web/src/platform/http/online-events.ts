// What the browser knows of its connection.
import type { OnlineEvents } from '@furoshiki/transfer';

export const browserOnlineEvents: OnlineEvents = {
  onOnline(listener) {
    // A tab that comes back to the front may have slept through the event.
    const onVisible = () => document.visibilityState === 'visible' && listener();
    addEventListener('online', listener);
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      removeEventListener('online', listener);
      document.removeEventListener('visibilitychange', onVisible);
    };
  },
};
