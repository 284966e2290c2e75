// Reports when the browser's connection may be back.
import type { OnlineEvents } from '@furoshiki/transfer';

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
