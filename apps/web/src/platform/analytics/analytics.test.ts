import { ANALYTICS_SERVICES, type AnalyticsSettings, type PageFile } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { createAnalytics, maskedPath, refusesTracking } from './analytics.ts';
import type { AnalyticsRequest } from './hits.ts';

const PAGE_ID = 'AbCdEfGhIjKlMnOpQrStUv' satisfies PageFile['id'];

async function sentRequests(
  settings: AnalyticsSettings | null,
  act: (analytics: ReturnType<typeof createAnalytics>) => void,
) {
  const requests: AnalyticsRequest[] = [];
  const analytics = createAnalytics({
    settings: Promise.resolve(settings),
    siteUrl: 'https://files.example.org/base',
    language: () => 'de',
    visitId: '1234567890.1',
    send: (request) => requests.push(request),
  });
  act(analytics);
  // The formats are loaded by now, because the module is awaited after the analytics have asked for it.
  await import('./hits.ts');
  await new Promise((resolve) => setTimeout(resolve));
  return requests;
}

describe('maskedPath', () => {
  it.each([
    ['/en', '/en'],
    ['/de/faq', '/de/faq'],
    ['/faq', '/faq'],
    [`/ja/download/${PAGE_ID}`, '/ja/download/:id'],
    [`/download/${PAGE_ID}`, '/download/:id'],
    ['/en/my-secret-project', '/en/not-found'],
    [`/en/download/${PAGE_ID}/more`, '/en/not-found'],
  ])('changes %s to %s', (path, masked) => {
    expect(maskedPath(path)).toBe(masked);
  });
});

describe.each(ANALYTICS_SERVICES)('%s', (service) => {
  const settings = { service, url: 'https://count.example.org', id: 'SITE-1' };

  it('receives page views and events, only at its own origin, and never an id', async () => {
    const requests = await sentRequests(settings, (analytics) => {
      analytics.pageView(`/de/download/${PAGE_ID}`);
      analytics.report([{ event: 'error_occurred', facts: { during: 'download', category: 'networkError' } }]);
    });
    expect(requests).toHaveLength(2);
    const texts = requests.map(({ url, body }) => decodeURIComponent(url) + body);
    for (const { url } of requests) expect(new URL(url).origin).toBe(settings.url);
    for (const text of texts) {
      expect(text).toContain('SITE-1');
      expect(text).toContain('/de/download/:id');
      expect(text).not.toContain(PAGE_ID);
    }
    expect(texts[0]).not.toContain('error_occurred');
    expect(texts[1]).toContain('error_occurred');
    expect(texts[1]).toContain('networkError');
  });
});

it('sends nothing if no service is configured', async () => {
  expect(await sentRequests(null, (analytics) => analytics.pageView('/en'))).toEqual([]);
});

it.each([
  [{ doNotTrack: '1' }, true],
  [{ globalPrivacyControl: true }, true],
  [{ doNotTrack: '0', globalPrivacyControl: false }, false],
  [{ doNotTrack: null }, false],
  [{}, false],
])('%j refuses tracking: %s', (signals, refuses) => {
  expect(refusesTracking(signals)).toBe(refuses);
});
