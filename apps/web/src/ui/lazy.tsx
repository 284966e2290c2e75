// Code that is loaded on first use: a loader that runs once, and a component around one.
import { type ComponentType, type ReactNode, use } from 'react';

/** Must be rendered inside a Suspense. Call `load` to preload the code. */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ((props: Props) => ReactNode) & { load: () => Promise<ComponentType<Props>> } {
  const loadComponent = loadOnce(load);
  function LazyComponent(props: Props): ReactNode {
    const Component = useLoaded(loadComponent());
    return <Component {...props} />;
  }
  return Object.assign(LazyComponent, { load: loadComponent });
}

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
