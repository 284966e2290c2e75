// The one way to wait for what is loaded once: the code of a component, the config of the instance, a text. `loadOnce`
// makes a loader. A component reads it with `useLoad`, or suspends until it is loaded with `useLoaded`.
import { type ComponentType, createElement, type ReactNode, use, useEffect, useSyncExternalStore } from 'react';

export type LoadState<T> =
  | { readonly phase: 'loading' }
  | { readonly phase: 'failed'; readonly cause: unknown }
  | { readonly phase: 'loaded'; readonly value: T };

export interface Loader<T> {
  /** Returns the same promise on every call, until it fails. The next call loads again. */
  (): Promise<T>;
  getState(): LoadState<T>;
  subscribe(listener: () => void): () => void;
}

const LOADING = { phase: 'loading' } as const;

export function loadOnce<T>(load: () => Promise<T>): Loader<T> {
  const listeners = new Set<() => void>();
  let state: LoadState<T> = LOADING;
  let loading: Promise<T> | undefined;

  function change(next: LoadState<T>): void {
    state = next;
    for (const listener of listeners) listener();
  }

  function loader(): Promise<T> {
    if (loading) return loading;
    const started = load();
    loading = started;
    if (state.phase === 'failed') change(LOADING);
    function succeed(value: T): void {
      // React's `use` reads these fields. Without them its first call suspends even if the promise has resolved, and
      // React then shows the Suspense fallback for a third of a second.
      void Object.assign(started, { status: 'fulfilled', value });
      change({ phase: 'loaded', value });
    }
    function fail(cause: unknown): void {
      loading = undefined;
      change({ phase: 'failed', cause });
    }
    started.then(succeed, fail);
    return started;
  }

  return Object.assign(loader, {
    getState: () => state,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        // A failure that is no longer shown is forgotten: the next component that needs the value begins to load it.
        if (listeners.size === 0 && state.phase === 'failed') state = LOADING;
      };
    },
  });
}

/** Loads after the first paint. Without a loader nothing is loaded. A prerendered page shows what is still loading. */
export function useLoad<T>(loader: Loader<T> | undefined): LoadState<T> {
  useEffect(() => {
    loader?.().catch(() => undefined);
  }, [loader]);
  return useSyncExternalStore(
    loader?.subscribe ?? subscribeToNothing,
    () => loader?.getState() ?? LOADING,
    () => LOADING,
  );
}

const subscribeToNothing = () => () => undefined;

/** Must be rendered inside a Suspense. */
export function useLoaded<T>(loader: Loader<T>): T {
  return use(loader());
}

/** A component whose code is loaded on first use. Must be rendered inside a Suspense. Call `load` to preload the code. */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ((props: Props) => ReactNode) & { load: Loader<ComponentType<Props>> } {
  const loadComponent = loadOnce(load);
  function LazyComponent(props: Props): ReactNode {
    return createElement(useLoaded(loadComponent), props);
  }
  return Object.assign(LazyComponent, { load: loadComponent });
}
