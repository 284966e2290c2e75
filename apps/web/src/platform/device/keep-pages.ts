// Keeps the pages of the reader's language in the browser, so that they can be read without a network.
import { addressOf, basePath } from './site.ts';
import { registerSaver } from '../workers/start-worker.ts';

/** The service worker knows it by its scope: others may keep something at the same origin. */
const KEPT = `kept-pages ${basePath}/`;

/** Does nothing where all is kept already. Throws where the browser keeps nothing or the network went. */
export async function keepPages(language: string): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  await registerSaver();
  const listUrl = addressOf(`/offline/${language}.json`);
  const answer = await fetch(listUrl);
  if (!answer.ok) return;
  const list = await answer.clone().text();
  const cache = await caches.open(KEPT);
  // The list names files by their hashes: while it is the same, so are they.
  if ((await (await cache.match(listUrl))?.text()) === list) return;
  const urls = (JSON.parse(list) as string[]).map((path) => addressOf(`/${path}`));
  const wanted = new Set(urls);
  for (const old of await cache.keys()) if (!wanted.has(old.url)) await cache.delete(old);
  // One after the other, behind whatever the page itself wants. The list comes last: it stands for all of them.
  for (const url of urls) {
    const file = await fetch(url, { priority: 'low' });
    if (!file.ok) return;
    await cache.put(url, file);
  }
  await cache.put(listUrl, answer);
}
