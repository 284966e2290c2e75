import { ANALYTICS_SERVICES, type AnalyticsSettings, type PageFile } from '@furoshiki/core';
import { describe, expect, it } from 'vitest';
import { asksNotToBeTracked, createAnalytics } from './analytics.ts';
import { type Call, maskedPath } from './hits.ts';

const PAGE_ID = 'AbCdEfGhIjKlMnOpQrStUv' satisfies PageFile['id'];

async function told(settings: AnalyticsSettings | null, act: (analytics: ReturnType<typeof createAnalytics>) => void) {
  const calls: Call[] = [];
  const analytics = createAnalytics({
    settings: Promise.resolve(settings),
    siteUrl: 'https://files.example.org/base',
    language: () => 'de',
    visitId: '1234567890.1',
    send: (call) => calls.push(call),
  });
  act(analytics);
  await Promise.resolve();
  await Promise.resolve();
  return calls;
}

describe('an address that is told', () => {
  it.each([
    ['/en', '/en'],
    ['/de/faq', '/de/faq'],
    ['/faq', '/faq'],
    [`/ja/download/${PAGE_ID}`, '/ja/download/:id'],
    [`/download/${PAGE_ID}`, '/download/:id'],
    ['/en/my-secret-project', '/en/not-found'],
    [`/en/download/${PAGE_ID}/more`, '/en/not-found'],
  ])('%s is %s', (path, masked) => {
    expect(maskedPath(path)).toBe(masked);
  });
});

describe.each(ANALYTICS_SERVICES)('%s', (service) => {
  const settings = { service, url: 'https://count.example.org', id: 'SITE-1' };

  it('is told pages and events, at its own origin, and never an id', async () => {
    const calls = await told(settings, (analytics) => {
      analytics.pageView(`/de/download/${PAGE_ID}`);
      analytics.report([{ event: 'error_occurred', facts: { during: 'download', category: 'networkError' } }]);
    });
    expect(calls).toHaveLength(2);
    const texts = calls.map(({ url, body }) => decodeURIComponent(url) + body);
    for (const { url } of calls) expect(new URL(url).origin).toBe(settings.url);
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

it('tells nobody where nobody is named', async () => {
  expect(await told(null, (analytics) => analytics.pageView('/en'))).toEqual([]);
});

it.each([
  [{ doNotTrack: '1' }, true],
  [{ globalPrivacyControl: true }, true],
  [{ doNotTrack: '0', globalPrivacyControl: false }, false],
  [{ doNotTrack: null }, false],
  [{}, false],
])('%j asks not to be tracked: %s', (signals, asks) => {
  expect(asksNotToBeTracked(signals)).toBe(asks);
});
