// Subscribes a component to an engine that it owns for as long as it stands.
import { useState, useSyncExternalStore } from 'react';

interface Observable<State> {
  getState(): State;
  subscribe(listener: () => void): () => void;
}

export function useEngine<State, Engine extends Observable<State>>(
  create: () => Engine & Observable<State>,
): [State, Engine] {
  const [engine] = useState(create);
  return [useSyncExternalStore(engine.subscribe, engine.getState), engine];
}
