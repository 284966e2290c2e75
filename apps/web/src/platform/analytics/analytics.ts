// Tells a counting service what happens, where the operator has named one and the reader has not said no.
import type { AnalyticsSettings } from '@furoshiki/core';
import type { Analytics } from '../../services.ts';
import { type Call, callOf, type Hit, maskedPath } from './hits.ts';

interface AnalyticsPorts {
  /** Null: nobody is to be told. It never fails. */
  settings: Promise<AnalyticsSettings | null>;
  siteUrl: string;
  language(): string;
  visitId: string;
  send(call: Call): void;
}

export function createAnalytics({ settings, siteUrl, language, visitId, send }: AnalyticsPorts): Analytics {
  let path = '/';
  function hit(event: Hit['event'], facts: Hit['facts']): void {
    const told: Hit = { event, facts, path, siteUrl, language: language(), visitId };
    void settings.then((known) => known && send(callOf[known.service](told, known)));
  }
  return {
    pageView(opened) {
      path = maskedPath(opened);
      hit(undefined, {});
    },
    report(told) {
      for (const { event, facts } of told) hit(event, facts);
    },
  };
}

/** "Do not track", in the old words and the new ones. */
export function asksNotToBeTracked({ doNotTrack, globalPrivacyControl }: PrivacySignals): boolean {
  return doNotTrack === '1' || globalPrivacyControl === true;
}

export interface PrivacySignals {
  doNotTrack?: string | null;
  globalPrivacyControl?: boolean;
}

/** Outlives the page, carries no cookie and no address of ours but the one in it. */
export function sendCall({ url, contentType, body }: Call): void {
  const options = { method: 'POST', keepalive: true, credentials: 'omit', referrerPolicy: 'no-referrer' } as const;
  // A count that is lost is nothing to tell anybody.
  fetch(url, { ...options, headers: { 'content-type': contentType }, body }).catch(() => undefined);
}
