// Reports each page that the user opens.
import { parsePath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { useEffect } from 'react';
import { eventsOfScreen } from './analytics-events.ts';
import { useServices } from '../services.ts';

export function usePageView(path: string): void {
  const { analytics } = useServices();
  useEffect(() => {
    // The root redirects to the home page of a language.
    if (path === '/') return;
    analytics.pageView(path);
    analytics.report(eventsOfScreen(parsePath(path, languages).screen));
  }, [path, analytics]);
}
