// A component whose code is loaded on first use.
import type { ComponentType, ReactNode } from 'react';
import { loadOnce, useLoaded } from './load-once.ts';

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
