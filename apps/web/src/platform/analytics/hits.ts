// One hit, in the words of each service. None of their scripts is loaded: the page sends what stands here and no more.
import {
  type AnalyticsEventName,
  type AnalyticsService,
  type AnalyticsSettings,
  placeOf,
  screenPath,
} from '@furoshiki/core';
import { languages } from '@furoshiki/locales';

export interface Hit {
  /** Undefined: a page was opened. */
  event?: AnalyticsEventName | undefined;
  facts: Record<string, string>;
  /** Masked already. */
  path: string;
  /** Where the site stands, without a slash at the end. */
  siteUrl: string;
  language: string;
  /** Lives as long as the page: it is stored nowhere. */
  visitId: string;
}

export interface Call {
  url: string;
  contentType: string;
  body: string;
}

/** The address as it may be told: with no id, and nothing of what was only typed. */
export function maskedPath(path: string): string {
  const { language, screen } = placeOf(path, languages);
  return screenPath(screen.name === 'download' ? { name: 'download', pageId: ':id' } : screen, language);
}

export const callOf: Record<AnalyticsService, (hit: Hit, settings: AnalyticsSettings) => Call> = {
  /** As gtag.js sends it. No cookie, no client that is known again. */
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
