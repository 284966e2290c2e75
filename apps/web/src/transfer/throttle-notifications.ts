// News of an engine, as often as a screen can use them.

/** Soon enough for a hand or an eye. A transfer has news far more often, and each of them would draw the screen anew. */
const LOOK_MS = 100;

type Subscribe = (listener: () => void) => () => void;

/** The first news is told at once, and what follows it closely is told together. */
export function throttleNotifications(subscribe: Subscribe): Subscribe {
  return (listener) => {
    let resting: ReturnType<typeof setTimeout> | undefined;
    let hasNews = false;
    const tell = () => {
      hasNews = false;
      resting = setTimeout(() => {
        resting = undefined;
        if (hasNews) tell();
      }, LOOK_MS);
      listener();
    };
    const end = subscribe(() => {
      if (resting === undefined) tell();
      else hasNews = true;
    });
    return () => {
      clearTimeout(resting);
      end();
    };
  };
}
