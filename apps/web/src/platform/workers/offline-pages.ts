// The second task of the service worker: it serves cached pages if there is no network. It never handles files or API calls, and
// nothing at all while there is a network: an extension that checks pages (WEBCAT) gets no headers of a response that passes
// through a service worker, and holds it back forever.

/**
 * Besides data: where a proxy signs people in. Its pages are not ours, and one of ours in their place would say that nothing is
 * there. The browser itself says that there is no network.
 */
const NEVER_CACHED = /^(?:api\/|store\/|oauth2\/|outpost\.goauthentik\.io\/|sign-in$)/u;

/** Returns undefined if the browser should use the network as if there were no service worker. */
export function respondOffline(request: Request, scope: string): Promise<Response> | undefined {
  if (navigator.onLine || request.method !== 'GET' || !request.url.startsWith(scope)) return undefined;
  const path = request.url.slice(scope.length).replace(/[?#].*$/su, '');
  if (NEVER_CACHED.test(path)) return undefined;
  // Files with a hash in their name never change, so the cached one is current.
  if (path.startsWith('assets/')) return kept(scope, request.url).then((found) => found ?? fetch(request));
  return fetch(request).catch(async (failed: unknown) => {
    const found =
      (await kept(scope, scope + path)) ?? (request.mode === 'navigate' ? await keptShell(scope) : undefined);
    if (found) return found;
    throw failed;
  });
}

/** The cache that cache-pages.ts fills. Other caches of the same origin are not ours. */
const cacheOf = (scope: string) => `kept-pages ${new URL(scope).pathname}`;

async function kept(scope: string, url: string): Promise<Response | undefined> {
  // Responses vary only by the encodings that the browser accepts, which do not change.
  return caches.match(url, { cacheName: cacheOf(scope), ignoreVary: true });
}

/** Every page contains the whole program, so any page can show every other. Returns the first that was cached. */
async function keptShell(scope: string): Promise<Response | undefined> {
  const [first] = await (await caches.open(cacheOf(scope))).keys();
  return first && kept(scope, first.url);
}
