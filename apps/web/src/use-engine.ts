// Subscribes a component to an engine that it owns for as long as it stands.
import { useEffect, useState, useSyncExternalStore } from 'react';

/** Soon enough for a hand or an eye. A transfer has news far more often, and each look draws the screen anew. */
const LOOK_MS = 100;

interface Cancellable<State> {
  getState(): State;
  cancel(): Promise<void>;
  subscribe(listener: () => void): () => void;
}

export function useEngine<State, Engine extends Cancellable<State>>(
  create: () => Engine & Cancellable<State>,
): [State, Engine] {
  const [{ engine, subscribe }] = useState(() => {
    const made = create();
    return { engine: made, subscribe: together(made.subscribe) };
  });
  // Nobody would see what it does, or be given its key: a transfer ends with its screen.
  useEffect(() => () => void engine.cancel(), [engine]);
  return [useSyncExternalStore(subscribe, engine.getState), engine];
}

type Subscribe = (listener: () => void) => () => void;

/** The first news is told at once, and what follows it closely is told together. */
function together(subscribe: Subscribe): Subscribe {
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
