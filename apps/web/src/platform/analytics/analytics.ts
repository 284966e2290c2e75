// Sends page views and events to an analytics service, if the operator has configured one and the user allows it.
import type { AnalyticsSettings } from '@furoshiki/api';
import { parsePath, screenPath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { Analytics } from '../../services.ts';
import type { AnalyticsRequest, Hit } from './hits.ts';

interface AnalyticsPorts {
  /** Null if nothing may be sent. Never rejects. */
  settings: Promise<AnalyticsSettings | null>;
  siteUrl: string;
  language(): string;
  visitId: string;
  send(request: AnalyticsRequest): void;
}

export function createAnalytics({ settings, siteUrl, language, visitId, send }: AnalyticsPorts): Analytics {
  let path = '/';
  // Most instances have no service, so they do not load the formats.
  const service = settings.then(async (given) => given && { given, ...(await import('./hits.ts')) });
  function hit(event: Hit['event'], facts: Hit['facts']): void {
    const sent: Hit = { event, facts, path, siteUrl, language: language(), visitId };
    service.then(
      (loaded) => loaded && send(loaded.requestOf[loaded.given.service](sent, loaded.given)),
      // A lost event is not an error that the user needs to see.
      () => undefined,
    );
  }
  return {
    pageView(viewed) {
      path = maskedPath(viewed);
      hit(undefined, {});
    },
    report(events) {
      for (const { event, facts } of events) hit(event, facts);
    },
  };
}

/** Returns the path without an id, and without any text that only the user typed. */
export function maskedPath(path: string): string {
  const { language, screen } = parsePath(path, languages);
  return screenPath(screen.name === 'download' ? { name: 'download', pageId: ':id' } : screen, language);
}

/** Reads Do Not Track and its successor, Global Privacy Control. */
export function refusesTracking({ doNotTrack, globalPrivacyControl }: PrivacySignals): boolean {
  return doNotTrack === '1' || globalPrivacyControl === true;
}

export interface PrivacySignals {
  doNotTrack?: string | null;
  globalPrivacyControl?: boolean;
}

/** Sent even if the tab closes (`keepalive`). Sends no cookie and no Referer header. */
export function sendAnalytics({ url, contentType, body }: AnalyticsRequest): void {
  const options = { method: 'POST', keepalive: true, credentials: 'omit', referrerPolicy: 'no-referrer' } as const;
  fetch(url, { ...options, headers: { 'content-type': contentType }, body }).catch(() => undefined);
}
