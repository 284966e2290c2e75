// Memoises an async loader; retries after a failure.
import { use, useState } from 'react';

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
 * the Suspense fallback for a third of a second; so a value that was loaded before the mount is returned without it.
 * This is decided once per mount, because React requires that a render which suspended in `use` calls it again.
 */
export function useLoaded<T>(promise: Promise<T>): T {
  const [loaded] = useState(() => (loadedValues.has(promise) ? { value: loadedValues.get(promise) as T } : undefined));
  return loaded ? loaded.value : use(promise);
}
