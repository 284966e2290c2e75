// Caches the pages of the user's language in the browser, so that they can be read offline.
import type { I18n } from '@furoshiki/texts/i18n';
import { registerSaver } from '../workers/worker-pools.ts';
import { addressOf, basePath } from './site.ts';

/** The service worker derives the same name from its scope. Other sites on the same origin have other caches. */
const CACHE_NAME = `kept-pages ${basePath}/`;

/** Caches the pages after the page has loaded, and again after each change of the language. */
export function cachePagesWhenIdle(i18n: I18n): void {
  // Safari has no idle callbacks, so it waits for a second instead.
  const whenIdle =
    'requestIdleCallback' in globalThis ? requestIdleCallback : (callback: () => void) => setTimeout(callback, 1000);
  // One language after another, because each run deletes the pages of the previous language.
  let running = Promise.resolve();
  // A failure is ignored: without cached pages, only offline reading does not work.
  const cacheNext = () => (running = running.then(() => cachePages(i18n.get().language)).catch(() => undefined));
  const schedule = () => void whenIdle(() => void cacheNext());
  if (document.readyState === 'complete') schedule();
  else addEventListener('load', schedule);
  i18n.subscribe(schedule);
}

/** Whether all pages of a language are cached. Throws if the browser has no cache. */
export async function arePagesCached(language: string): Promise<boolean> {
  return (await caches.match(listUrlOf(language), { cacheName: CACHE_NAME })) !== undefined;
}

const listUrlOf = (language: string) => addressOf(`/offline/${language}.json`);

/** Does nothing if all pages are cached already. Throws if the browser has no cache or the network fails. */
async function cachePages(language: string): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  await registerSaver();
  const listUrl = listUrlOf(language);
  const response = await fetch(listUrl);
  if (!response.ok) return;
  const list = await response.clone().text();
  const cache = await caches.open(CACHE_NAME);
  // The list contains file names with hashes. If the list has not changed, no file has changed.
  if ((await (await cache.match(listUrl))?.text()) === list) return;
  const urls = (JSON.parse(list) as string[]).map((path) => addressOf(`/${path}`));
  const wanted = new Set(urls);
  for (const old of await cache.keys()) if (!wanted.has(old.url)) await cache.delete(old);
  // One after another and with low priority, so that the page's own requests are not delayed. The list comes last,
  // because it proves that all other files are cached.
  for (const url of urls) {
    const file = await fetch(url, { priority: 'low' });
    if (!file.ok) return;
    await cache.put(url, file);
  }
  await cache.put(listUrl, response);
}
