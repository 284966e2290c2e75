// A counting service of the test's own: it keeps every request that reaches it, and reads it as the real one would.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';

export const SITE_ID = 'SITE-1';

/** What a service makes of one request. */
export interface Told {
  /** `pageview`, or the name of an event. */
  name: string;
  /** Below the site. */
  path: string;
  facts: Record<string, string>;
}

interface Received {
  method: string;
  url: URL;
  headers: Record<string, unknown>;
  body: string;
}

type Reading = (request: Received, siteUrl: string) => Told;

/** Written from what each service documents. All of a request is compared: a field that is not named here is a failure. */
const READINGS: Record<string, Reading> = {
  plausible({ url, body }, siteUrl) {
    expect(url.pathname + url.search).toBe('/api/event');
    const { name, url: address, domain, props, ...more } = JSON.parse(body) as PlausibleEvent;
    expect([domain, more]).toEqual([SITE_ID, {}]);
    return { name, path: below(siteUrl, address), facts: props };
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
      path: below(siteUrl, String(dl)),
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

function below(siteUrl: string, address: string): string {
  expect(address.slice(0, siteUrl.length)).toBe(siteUrl);
  return address.slice(siteUrl.length);
}

export async function startCollector() {
  const received: Received[] = [];
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
    /** In the order of their names: requests overtake each other. */
    told(service: string, siteUrl: string): Told[] {
      const posts = received.filter(({ method }) => method === 'POST');
      return inOrder(posts.map((request) => (READINGS[service] as Reading)(request, siteUrl)));
    },
    /** All that ever came: addresses, headers and bodies, as they are and decoded. */
    everything(): string {
      const texts = received.map(({ method, url, headers, body }) => JSON.stringify([method, url, headers, body]));
      return texts.flatMap((text) => [text, decodeURIComponent(text)]).join('\n');
    },
    close: () => collector.close(),
  };
}

export function inOrder(told: Told[]): Told[] {
  const words = ({ name, path, facts }: Told) => [name, path, ...Object.values(facts)].join(' ');
  return told.toSorted((a, b) => words(a).localeCompare(words(b)));
}
