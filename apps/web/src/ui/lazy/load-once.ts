// Memoises an async loader; retries after a failure.
import { use } from 'react';

const loadedValues = new WeakMap<Promise<unknown>, unknown>();

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
 * Like React's `use`, for a promise of `loadOnce`. `use` suspends even if the promise has resolved, and React then shows
 * the Suspense fallback for a third of a second; so a loaded value is returned without it.
 */
export function useLoaded<T>(promise: Promise<T>): T {
  return loadedValues.has(promise) ? (loadedValues.get(promise) as T) : use(promise);
}
