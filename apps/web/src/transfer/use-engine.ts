// Creates an engine for a component and subscribes to it. The engine is cancelled when the component unmounts.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { throttleNotifications } from './throttle-notifications.ts';

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
