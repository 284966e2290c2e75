// The methods of each path, from the routes: for Allow, which HTTP requires in a 405 and in the response to OPTIONS.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendError } from './error-responses.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Returns the methods of a path, and of the whole server for `*`. None: no route has this path. */
    methodsAt(path: string): Set<string>;
  }
}

/** Must be called before the first route is added. */
export function collectMethods(app: FastifyInstance): void {
  const fixed = new Map<string, Set<string>>();
  const patterns = new Map<string, { matches: RegExp; methods: Set<string> }>();
  const all = new Set<string>();
  function methodsOf(url: string): Set<string> {
    const parts = url.split(/:\w+/u);
    const known = parts.length === 1 ? fixed.get(url) : patterns.get(url)?.methods;
    if (known) return known;
    const methods = new Set<string>();
    if (parts.length === 1) fixed.set(url, methods);
    else patterns.set(url, { matches: new RegExp(`^${parts.map(escaped).join('[^/]+')}$`, 'u'), methods });
    return methods;
  }
  app.addHook('onRoute', ({ url, method }) => {
    for (const name of [method].flat()) {
      methodsOf(url).add(name);
      all.add(name);
    }
  });
  app.decorate('methodsAt', (path) => {
    if (path === '*') return all;
    // As the router does it. It has refused a path that cannot be decoded.
    const decoded = decodeURI(path);
    const matching = [...patterns.values()].filter(({ matches }) => matches.test(decoded));
    return new Set([...(fixed.get(decoded) ?? []), ...matching.flatMap(({ methods }) => [...methods])]);
  });
}

const escaped = (text: string) => text.replaceAll(/[^\w/-]/gu, String.raw`\$&`);

/**
 * Responds to a method that the path does not have. OPTIONS is answered because it costs nothing and says what is allowed;
 * without CORS headers, browsers still keep pages of other sites out.
 */
export function sendOtherMethod(request: FastifyRequest, reply: FastifyReply, methods: Set<string>) {
  reply.header('allow', [...new Set([...methods, 'OPTIONS'])].toSorted().join(', '));
  if (request.method === 'OPTIONS') return reply.status(204).send();
  return sendError(request, reply, 'METHOD_NOT_ALLOWED');
}
