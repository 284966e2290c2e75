// Reports the events of an engine to analytics. The engine knows nothing about it.
import type { Analytics } from '../services.ts';
import type { AnalyticsEvent } from './analytics-events.ts';

interface Observable<State> {
  getState(): State;
  subscribe(listener: () => void): () => void;
}

/** Returns the engine. */
export function reportEngineEvents<State, Engine extends Observable<State>>(
  engine: Engine & Observable<State>,
  analytics: Analytics,
  eventsOf: (before: State, now: State) => AnalyticsEvent[],
): Engine {
  let before = engine.getState();
  engine.subscribe(() => {
    const now = engine.getState();
    analytics.report(eventsOf(before, now));
    before = now;
  });
  return engine;
}
