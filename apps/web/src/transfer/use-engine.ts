// Subscribes a component to an engine that it owns for as long as it stands.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { throttleNotifications } from './throttle-notifications.ts';

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
    return { engine: made, subscribe: throttleNotifications(made.subscribe) };
  });
  // Nobody would see what it does, or be given its key: a transfer ends with its screen.
  useEffect(() => () => void engine.cancel(), [engine]);
  return [useSyncExternalStore(subscribe, engine.getState), engine];
}
