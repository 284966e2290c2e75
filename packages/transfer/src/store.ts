// Holds an engine's state: a pure reducer behind getState and subscribe.

export interface Store<State, Action> {
  getState(): State;
  /** Returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  /** Returns the dispatch of a new run. That of the previous run no longer has any effect, so its late events are lost. */
  beginRun(): (action: Action) => void;
}

export function createStore<State, Action>(
  reduce: (state: State, action: Action) => State,
  initial: State,
): Store<State, Action> {
  const listeners = new Set<() => void>();
  let state = initial;
  let runs = 0;

  return {
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    beginRun() {
      runs += 1;
      const run = runs;
      return (action) => {
        const next = run === runs ? reduce(state, action) : state;
        if (next === state) return;
        state = next;
        for (const listener of listeners) listener();
      };
    },
  };
}
