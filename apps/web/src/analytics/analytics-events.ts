// Derives analytics events from state changes, and reports them. Engines and screens know nothing about it.
import { uploadCategory } from '@furoshiki/api';
import { parsePath, type Screen } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { UploadState } from '@furoshiki/transfer';
import { useEffect } from 'react';
import { type Analytics, type AnalyticsEvent, useServices } from '../services.ts';

export function eventsOfUpload(before: UploadState, now: UploadState): AnalyticsEvent[] {
  if (before.phase === now.phase) return [];
  if (now.phase === 'done')
    return [
      { event: 'file_upload_completed', facts: {} },
      { event: 'share_link_created', facts: {} },
      ...(now.separatePages ? [errorDuring('grouping')] : []),
    ];
  if (now.phase === 'failed') return [errorDuring('upload', uploadCategory(now.failure))];
  return [];
}

type Activity = 'start-up' | 'upload' | 'grouping' | 'page' | 'download' | 'delete' | 'contact';

/** `category` is from a closed list, or left out if it is not known. */
export function errorDuring(during: Activity, category?: string): AnalyticsEvent {
  return { event: 'error_occurred', facts: category === undefined ? { during } : { during, category } };
}

/** Reports that the user opened a page about how files are protected. */
export function eventsOfScreen(screen: Screen): AnalyticsEvent[] {
  if (screen.name !== 'content' || (screen.page !== 'security' && screen.page !== 'encryption-info')) return [];
  return [{ event: 'secure_info_action', facts: { page: screen.page } }];
}

interface Observable<State> {
  getState(): State;
  subscribe(listener: () => void): () => void;
}

/** Reports the events of an engine to analytics. Returns the engine. */
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

/** Reports each page that the user opens. */
export function usePageView(path: string): void {
  const { analytics } = useServices();
  useEffect(() => {
    // The root redirects to the home page of a language.
    if (path === '/') return;
    analytics.pageView(path);
    analytics.report(eventsOfScreen(parsePath(path, languages).screen));
  }, [path, analytics]);
}
