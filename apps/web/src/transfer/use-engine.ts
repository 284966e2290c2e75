// Creates an engine for a component and subscribes to it. The engine is cancelled when the component unmounts. Keeps
// the device awake while it runs.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useServices } from '../services.ts';

interface Subscribable<State> {
  getState(): State;
  cancel(): Promise<void>;
  subscribe(listener: () => void): () => void;
}

export function useEngine<State, Engine extends Subscribable<State>>(
  create: () => Engine & Subscribable<State>,
): [State, Engine] {
  const [{ engine, subscribe }] = useState(() => {
    const created = create();
    return { engine: created, subscribe: throttleNotifications(created.subscribe) };
  });
  // A transfer without its screen would be invisible, and its key could never be shown.
  useEffect(() => () => void engine.cancel(), [engine]);
  return [useSyncExternalStore(subscribe, engine.getState), engine];
}

/** Keeps the device awake while a transfer is running. */
export function useKeepAwake(isRunning: boolean): void {
  const { keepAwake } = useServices();
  useEffect(() => (isRunning ? keepAwake() : undefined), [isRunning, keepAwake]);
}

/** Short enough to feel immediate. A transfer changes far more often, and each notification renders the screen. */
const INTERVAL_MS = 200;

type Subscribe = (listener: () => void) => () => void;

/**
 * Limits how often an engine notifies a screen. Calls the listener at once for the first change, then at most once per
 * interval.
 */
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
