// The service worker: it answers the address of a file that a page streams, and shows kept pages without a network.
import { answerWithoutNetwork } from './offline-pages.ts';
import type { FromStream, LostOffer, ToSaver, ToStream } from '../downloads/saving/stream-messages.ts';

interface Offer {
  port: MessagePort;
  headers: Record<string, string>;
}

const scope = self as unknown as ServiceWorkerGlobalScope;
const offers = new Map<string, Offer>();

scope.addEventListener('install', () => void scope.skipWaiting());
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));

scope.addEventListener('message', (event) => {
  const message = event.data as ToSaver;
  const [port] = event.ports;
  // "stay" says nothing: that it came keeps the browser from ending an idle worker in the middle of a file.
  if (message.type !== 'offer' || !port) return;
  offers.set(message.path, { port, headers: message.headers });
  port.postMessage('ready' satisfies FromStream);
});

scope.addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url);
  const offer = offers.get(pathname);
  // It went with a worker before us. An answer with nothing in it leaves the page that asks where it is.
  if (!offer && event.request.url.startsWith(`${scope.registration.scope}saving/`)) {
    event.waitUntil(tellPages({ lostPath: pathname }));
    event.respondWith(new Response(null, { status: 204 }));
    return;
  }
  if (!offer) {
    const answer = answerWithoutNetwork(event.request, scope.registration.scope);
    if (answer) event.respondWith(answer);
    return;
  }
  offers.delete(pathname);
  event.respondWith(new Response(streamOf(offer.port), { headers: offer.headers }));
});

async function tellPages(loss: LostOffer): Promise<void> {
  for (const page of await pages()) page.postMessage(loss);
}

function pages(): Promise<readonly WindowClient[]> {
  return scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
}

// Whoever presses a notification wants to see what it tells of.
scope.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(pages().then(([page]) => page?.focus()));
});

function streamOf(port: MessagePort): ReadableStream<Uint8Array<ArrayBuffer>> {
  let taken = (): void => undefined;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        port.addEventListener('message', ({ data }: MessageEvent<ToStream>) => {
          // It comes unasked, also while the browser is still busy with the bytes before.
          if (data === 'break') controller.error(new Error('the file was not whole'));
          else if (data === 'end') controller.close();
          else controller.enqueue(data);
          taken();
        });
        port.start();
      },
      pull() {
        const { promise, resolve } = Promise.withResolvers<void>();
        taken = resolve;
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
