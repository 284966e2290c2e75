// Limits how often an engine notifies a screen.

/** Short enough to feel immediate. A transfer changes far more often, and each notification renders the screen. */
const INTERVAL_MS = 200;

type Subscribe = (listener: () => void) => () => void;

/** Calls the listener at once for the first change, then at most once per interval. */
export function throttleNotifications(subscribe: Subscribe): Subscribe {
  return (listener) => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    let hasChanged = false;
    const notify = () => {
      hasChanged = false;
      waiting = setTimeout(() => {
        waiting = undefined;
        if (hasChanged) notify();
      }, INTERVAL_MS);
      listener();
    };
    const unsubscribe = subscribe(() => {
      if (waiting === undefined) notify();
      else hasChanged = true;
    });
    return () => {
      clearTimeout(waiting);
      unsubscribe();
    };
  };
}
