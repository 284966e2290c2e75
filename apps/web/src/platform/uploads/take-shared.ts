// The page's side of files that another app has shared: takes them from the service worker.
import { SHARED_FRAGMENT } from '@furoshiki/site';
import type { ToSaver } from '../downloads/saving/stream-messages.ts';

/** Returns undefined if none were shared, or a page has taken them. Empty if they are lost. */
export async function takeSharedFiles(): Promise<File[] | undefined> {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(SHARED_FRAGMENT)) return undefined;
  // They can be taken once. After a reload they would be missing.
  history.replaceState(history.state, '', pathname + search);
  const id = hash.slice(SHARED_FRAGMENT.length);
  const worker = 'serviceWorker' in navigator ? navigator.serviceWorker.controller : null;
  // Without an id the server has responded, because the browser has no service worker.
  if (!worker || id === '') return [];
  const { port1, port2 } = new MessageChannel();
  const taken = new Promise<File[]>((resolve) => {
    port1.addEventListener('message', ({ data }: MessageEvent<File[]>) => resolve(data));
  });
  port1.start();
  worker.postMessage({ type: 'takeShared', id } satisfies ToSaver, [port2]);
  return taken;
}
