// Tells of each page that is opened.
import { placeOf } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { useEffect } from 'react';
import { eventsOfScreen } from './analytics-events.ts';
import { useServices } from '../services.ts';

export function usePageView(path: string): void {
  const { analytics } = useServices();
  useEffect(() => {
    // The bare root is only passed through.
    if (path === '/') return;
    analytics.pageView(path);
    analytics.report(eventsOfScreen(placeOf(path, languages).screen));
  }, [path, analytics]);
}
