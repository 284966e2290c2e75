import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { respondOffline } from './offline-pages.ts';

const SCOPE = 'https://files.example.org/files/';
const page = (path: string) => new Request(SCOPE + path);
beforeEach(() => void vi.stubGlobal('navigator', { onLine: false }));
afterEach(() => vi.unstubAllGlobals());

it.each(['', 'en/faq', 'assets/app.js', 'theme.js', 'offline/en.json'])(
  'leaves %j to the network while there is one',
  (path) => {
    vi.stubGlobal('navigator', { onLine: true });
    expect(respondOffline(page(path), SCOPE)).toBeUndefined();
  },
);

it.each([
  'api/config',
  'store/x',
  'sign-in',
  'sign-in?from=here',
  'oauth2/start?rd=/sign-in',
  'oauth2/callback',
  'outpost.goauthentik.io/start',
])('leaves %s to the network', (path) => {
  expect(respondOffline(page(path), SCOPE)).toBeUndefined();
});

it.each(['', 'en/faq', 'en/sign-in', 'sign-in-help', 'download/abc'])('shows a cached page at %j', async (path) => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
  vi.stubGlobal('caches', { match: async (url: string) => new Response(url) });
  const response = await respondOffline(page(path), SCOPE);
  expect(await response?.text()).toBe(SCOPE + path);
});

it('leaves other sites and other methods to the network', () => {
  expect(respondOffline(new Request('https://files.example.org/other'), SCOPE)).toBeUndefined();
  expect(respondOffline(new Request(`${SCOPE}en`, { method: 'POST' }), SCOPE)).toBeUndefined();
});
