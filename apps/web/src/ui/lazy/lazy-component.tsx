// A screen whose code is not part of the first load.
import { type ComponentType, type ReactNode, use } from 'react';
import { loadOnce } from './load-once.ts';

/** To be shown within a Suspense. `load` may be called ahead. */
export function lazyComponent<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ((props: Props) => ReactNode) & { load: () => Promise<ComponentType<Props>> } {
  const loadScreen = loadOnce(load);
  function OnDemand(props: Props): ReactNode {
    const Screen = use(loadScreen());
    return <Screen {...props} />;
  }
  return Object.assign(OnDemand, { load: loadScreen });
}
