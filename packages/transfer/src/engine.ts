// The skeleton of every engine: a reducer behind getState and subscribe, runs that can be started, and cancelled at any time.

export interface RunContext<Action> {
  /** Has no effect after the next run has begun. */
  dispatch: (action: Action) => void;
  signal: AbortSignal;
}

interface Run<Action> extends RunContext<Action> {
  ended: Promise<void>;
}

interface Engine<State, Action> {
  getState(): State;
  /** Returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  /** Dispatches `first`, then runs `drive`. Resolves when it has ended; the state says how. */
  start(first: Action, drive: (context: RunContext<Action>) => Promise<void>): Promise<void>;
  /**
   * Dispatches `cancel` and, unless the reducer ignores it because it is too late, aborts the run.
   * Returns the run that was started last, or undefined if there was none.
   */
  cancel(reason?: string): Run<Action> | undefined;
}

export function createEngine<State, Action extends { type: string }>(
  reduce: (state: State, action: Action | { type: 'cancel' }) => State,
  initial: State,
): Engine<State, Action> {
  const store = createStore(reduce, initial);
  let run: (Run<Action | { type: 'cancel' }> & { abort: AbortController }) | undefined;
  return {
    getState: store.getState,
    subscribe: store.subscribe,
    start(first, drive) {
      const dispatch = store.beginRun();
      const abort = new AbortController();
      const { signal } = abort;
      // One microtask later, so that a subscriber can cancel as early as in the first state.
      const ended = Promise.resolve().then(() => drive({ dispatch, signal }));
      run = { dispatch, signal, ended, abort };
      dispatch(first);
      return ended;
    },
    cancel(reason) {
      if (!run) return undefined;
      const before = store.getState();
      run.dispatch({ type: 'cancel' });
      if (store.getState() !== before) run.abort.abort(reason);
      return run;
    },
  };
}

interface Store<State, Action> {
  getState(): State;
  /** Returns the function that ends the subscription. */
  subscribe(listener: () => void): () => void;
  /** Returns the dispatch of a new run. That of the previous run no longer has any effect, so its late events are lost. */
  beginRun(): (action: Action) => void;
}

/** Holds an engine's state. */
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
