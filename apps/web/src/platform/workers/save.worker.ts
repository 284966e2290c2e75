// The service worker: responds with the file that a page streams or plays, and with cached pages if there is no network. Receives
// what other apps share. Removes the staged files of a closed tab.
import { removeStaleFiles } from '../downloads/saving/staging.ts';
import type { FromStream, LostOffer, ToSaver, ToStream } from '../downloads/saving/stream-messages.ts';
import { respondOffline } from './offline-pages.ts';
import { isPlaying, respondWithMedia } from './media-requests.ts';
import { isShare, receiveShared, takeShared } from './shared-files.ts';

interface Offer {
  port: MessagePort;
  headers: Record<string, string>;
}

const scope = self as unknown as ServiceWorkerGlobalScope;
const offers = new Map<string, Offer>();

scope.addEventListener('install', () => void scope.skipWaiting());
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));

/** A closed tab keeps its locks for a moment, on a slow machine for longer. */
const UNLOCK_MS = [1000, 3000, 9000];

scope.addEventListener('message', (event) => {
  const message = event.data as ToSaver;
  if (message.type === 'removeStale') event.waitUntil(removeStaleAfter(message.afterMs));
  if (message.type === 'claim') event.waitUntil(scope.clients.claim());
  const [port] = event.ports;
  if (message.type === 'takeShared') port?.postMessage(takeShared(message.id));
  // "stay" needs no action: any message keeps the browser from ending an idle worker in the middle of a file.
  if (message.type !== 'offer' || !port) return;
  offers.set(message.path, { port, headers: message.headers });
  port.postMessage('ready' satisfies FromStream);
});

scope.addEventListener('fetch', (event) => {
  if (isShare(event.request, scope.registration.scope)) {
    const waitUntil = (taken: Promise<void>) => event.waitUntil(taken);
    event.respondWith(receiveShared(event.request, scope.registration.scope, waitUntil));
    return;
  }
  if (isPlaying(event.request, scope.registration.scope)) {
    event.respondWith(scope.clients.get(event.clientId).then((page) => respondWithMedia(event.request, page)));
    return;
  }
  const { pathname } = new URL(event.request.url);
  const offer = offers.get(pathname);
  // The offer was lost with an earlier instance of this worker. An empty response keeps the page where it is.
  if (!offer && event.request.url.startsWith(`${scope.registration.scope}saving/`)) {
    event.waitUntil(notifyPages({ lostPath: pathname }));
    event.respondWith(new Response(null, { status: 204 }));
    return;
  }
  if (!offer) {
    const response = respondOffline(event.request, scope.registration.scope);
    if (response) event.respondWith(response);
    return;
  }
  offers.delete(pathname);
  event.respondWith(new Response(streamOf(offer.port), { headers: offer.headers }));
});

async function removeStaleAfter(ms: number): Promise<void> {
  await wait(ms);
  for (const unlockMs of UNLOCK_MS) {
    await wait(unlockMs);
    await removeStaleFiles(Date.now());
  }
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function notifyPages(loss: LostOffer): Promise<void> {
  for (const page of await pages()) page.postMessage(loss);
}

function pages(): Promise<readonly WindowClient[]> {
  return scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
}

// A click on a notification shows the page that it belongs to.
scope.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(pages().then(([page]) => page?.focus()));
});

function streamOf(port: MessagePort): ReadableStream<Uint8Array<ArrayBuffer>> {
  let onTaken = (): void => undefined;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        port.addEventListener('message', ({ data }: MessageEvent<ToStream>) => {
          // "break" may arrive at any time, also before the browser has taken the bytes before it.
          if (data === 'break') controller.error(new Error('the file was not whole'));
          else if (data === 'end') controller.close();
          else controller.enqueue(data);
          onTaken();
        });
        port.start();
      },
      pull() {
        const { promise, resolve } = Promise.withResolvers<void>();
        onTaken = resolve;
        port.postMessage('pull' satisfies FromStream);
        return promise;
      },
      cancel() {
        port.postMessage('cancelled' satisfies FromStream);
      },
    },
    { highWaterMark: 0 },
  );
}
