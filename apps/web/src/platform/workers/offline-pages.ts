// The service worker's second duty: pages that were kept are shown when the network is gone. Files and calls never pass here.
// The page imports nothing of this: what both had would become a file of its own, and a service worker cannot import one.

/** Undefined: none of our business, and the browser asks the network as if we were not there. */
export function answerWithoutNetwork(request: Request, scope: string): Promise<Response> | undefined {
  if (request.method !== 'GET' || !request.url.startsWith(scope)) return undefined;
  const path = request.url.slice(scope.length).replace(/[?#].*$/su, '');
  if (path.startsWith('api/') || path.startsWith('store/')) return undefined;
  // What has a hash in its name never changes: what is kept is as good as new.
  if (path.startsWith('assets/')) return kept(scope, request.url).then((found) => found ?? fetch(request));
  return fetch(request).catch(async (failed: unknown) => {
    const found =
      (await kept(scope, scope + path)) ?? (request.mode === 'navigate' ? await keptShell(scope) : undefined);
    if (found) return found;
    throw failed;
  });
}

/** As cache-pages.ts names it. What others keep at the same origin is none of ours. */
const cacheOf = (scope: string) => `kept-pages ${new URL(scope).pathname}`;

async function kept(scope: string, url: string): Promise<Response | undefined> {
  // Pages differ by what the browser can unpack, which does not change.
  return caches.match(url, { cacheName: cacheOf(scope), ignoreVary: true });
}

/** Any page of ours can become every other: it carries the program. The first that was kept is the start. */
async function keptShell(scope: string): Promise<Response | undefined> {
  const [first] = await (await caches.open(cacheOf(scope))).keys();
  return first && kept(scope, first.url);
}
