// Builds the request for one hit in the format of each analytics service. None of their scripts is loaded, so the page
// sends nothing but the data in this file.
import type { AnalyticsEventName, AnalyticsService, AnalyticsSettings } from '@furoshiki/api';

export interface Hit {
  /** Undefined for a page view. */
  event?: AnalyticsEventName | undefined;
  facts: Record<string, string>;
  /** Masked: see `maskedPath`. */
  path: string;
  /** Without a slash at the end. */
  siteUrl: string;
  language: string;
  /** Random. Never stored, so it ends with the tab. */
  visitId: string;
}

export interface AnalyticsRequest {
  url: string;
  contentType: string;
  body: string;
}

export const requestOf: Record<AnalyticsService, (hit: Hit, settings: AnalyticsSettings) => AnalyticsRequest> = {
  /** The format of gtag.js, without a cookie and without a lasting client id. */
  ga4: ({ event, facts, path, siteUrl, language, visitId }, { url, id }) => {
    const query = new URLSearchParams({
      v: '2',
      tid: id,
      cid: visitId,
      en: event ?? 'page_view',
      dl: siteUrl + path,
      ul: language,
      npa: '1',
    });
    for (const [name, value] of Object.entries(facts)) query.set(`ep.${name}`, value);
    return { url: `${url}/g/collect?${query}`, contentType: 'text/plain', body: '' };
  },
  plausible: ({ event, facts, path, siteUrl }, { url, id }) => ({
    url: `${url}/api/event`,
    contentType: 'text/plain',
    body: JSON.stringify({ name: event ?? 'pageview', url: siteUrl + path, domain: id, props: facts }),
  }),
  umami: ({ event, facts, path, siteUrl, language }, { url, id }) => ({
    url: `${url}/api/send`,
    contentType: 'application/json',
    body: JSON.stringify({
      type: 'event',
      payload: {
        website: id,
        hostname: new URL(siteUrl).hostname,
        url: path,
        language,
        ...(event === undefined ? {} : { name: event, data: facts }),
      },
    }),
  }),
};
