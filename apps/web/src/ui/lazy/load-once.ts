// Memoises an async loader; retries after a failure.
import { use } from 'react';

const loadedValues = new WeakMap<Promise<unknown>, unknown>();
const awaitedByReact = new WeakSet<Promise<unknown>>();

/** Returns the same promise on every call, until it fails. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    if (loading) return loading;
    const started = load();
    loading = started;
    started.then(
      (value) => loadedValues.set(started, value),
      () => (loading = undefined),
    );
    return started;
  };
}

/**
 * Like React's `use`, for a promise of `loadOnce`. The first `use` of a promise suspends even if it has resolved, and
 * React then shows the Suspense fallback for a third of a second; so a value that was loaded before is returned without
 * it. Once a render has suspended in `use`, the next one must call it again.
 */
export function useLoaded<T>(promise: Promise<T>): T {
  if (loadedValues.has(promise) && !awaitedByReact.has(promise)) return loadedValues.get(promise) as T;
  awaitedByReact.add(promise);
  return use(promise);
}
