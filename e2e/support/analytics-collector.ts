// A fake analytics service: it records every request and parses it as the real service would.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';

export const SITE_ID = 'SITE-1';

/** One request, as the service understands it. */
export interface CollectedEvent {
  /** `pageview`, or the name of an event. */
  name: string;
  /** Relative to the site's URL. */
  path: string;
  facts: Record<string, string>;
}

interface ReceivedRequest {
  method: string;
  url: URL;
  headers: Record<string, unknown>;
  body: string;
}

type Parser = (request: ReceivedRequest, siteUrl: string) => CollectedEvent;

/** Written from the documentation of each service. The whole request is checked: an unknown field is a failure. */
const PARSERS: Record<string, Parser> = {
  plausible({ url, body }, siteUrl) {
    expect(url.pathname + url.search).toBe('/api/event');
    const { name, url: address, domain, props, ...more } = JSON.parse(body) as PlausibleEvent;
    expect([domain, more]).toEqual([SITE_ID, {}]);
    return { name, path: pathBelow(siteUrl, address), facts: props };
  },
  umami({ url, body, headers }, siteUrl) {
    expect(url.pathname + url.search).toBe('/api/send');
    expect(headers['content-type']).toBe('application/json');
    const { payload, ...envelope } = JSON.parse(body) as { type: string; payload: UmamiPayload };
    const { website, hostname, language, url: path, name = 'pageview', data = {}, ...more } = payload;
    expect([envelope, more]).toEqual([{ type: 'event' }, {}]);
    expect([website, hostname, language]).toEqual([SITE_ID, new URL(siteUrl).hostname, 'en']);
    return { name, path, facts: data };
  },
  ga4({ url, body }, siteUrl) {
    expect([url.pathname, body]).toEqual(['/g/collect', '']);
    const { v, tid, cid, en, dl, ul, npa, ...more } = Object.fromEntries(url.searchParams);
    expect([v, tid, ul, npa]).toEqual(['2', SITE_ID, 'en', '1']);
    expect(cid).toMatch(/^\d+\.1$/u);
    const facts = Object.entries(more).map(([key, value]) => {
      expect(key).toMatch(/^ep\./u);
      return [key.slice('ep.'.length), value];
    });
    return {
      name: en === 'page_view' ? 'pageview' : String(en),
      path: pathBelow(siteUrl, String(dl)),
      facts: Object.fromEntries(facts) as Record<string, string>,
    };
  },
};

interface PlausibleEvent {
  name: string;
  url: string;
  domain: string;
  props: Record<string, string>;
}

interface UmamiPayload {
  website: string;
  hostname: string;
  language: string;
  url: string;
  name?: string;
  data?: Record<string, string>;
}

function pathBelow(siteUrl: string, address: string): string {
  expect(address.slice(0, siteUrl.length)).toBe(siteUrl);
  return address.slice(siteUrl.length);
}

export async function startCollector() {
  const received: ReceivedRequest[] = [];
  const collector = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*').setHeader('access-control-allow-headers', 'content-type');
    const { method = '', url = '', headers } = request;
    let body = '';
    request
      .on('data', (bytes) => (body += String(bytes)))
      .on('end', () => {
        received.push({ method, url: new URL(url, 'http://collector'), headers, body });
        response.end();
      });
  }).listen(0, '127.0.0.1');
  await once(collector, 'listening');
  return {
    url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    /** Sorted by name, because requests can arrive in any order. */
    events(service: string, siteUrl: string): CollectedEvent[] {
      const posts = received.filter(({ method }) => method === 'POST');
      return sortEvents(posts.map((request) => (PARSERS[service] as Parser)(request, siteUrl)));
    },
    /** URLs, headers and bodies of all requests, raw and decoded. */
    allText(): string {
      const texts = received.map(({ method, url, headers, body }) => JSON.stringify([method, url, headers, body]));
      return texts.flatMap((text) => [text, decodeURIComponent(text)]).join('\n');
    },
    close: () => collector.close(),
  };
}

export function sortEvents(events: CollectedEvent[]): CollectedEvent[] {
  const sortKey = ({ name, path, facts }: CollectedEvent) => [name, path, ...Object.values(facts)].join(' ');
  return events.toSorted((a, b) => sortKey(a).localeCompare(sortKey(b)));
}
