// Brings every form of a request's target into the one that routes have: a path without BASE_PATH.
import type { IncomingMessage } from 'node:http';
import { API_PREFIX } from '@furoshiki/api';

/** Where the signed files are. Browsers look for them at the root of the origin, whatever the base path is. */
export const WEBCAT_PREFIX = '/.well-known/webcat/';
/** No route has this path: every URL outside of the base path gets the API's 404. */
const UNKNOWN_PATH = `${API_PREFIX}/unknown`;
/** The router refuses it: it cannot be decoded. */
const MALFORMED_PATH = '/%';
/** Clients send a whole URL to a proxy, and a server must accept it too. */
const WHOLE_URL = /^https?:\/\/([^/?#]*)/iu;

export function routedPath(basePath: string) {
  return ({ method, url = '/' }: Pick<IncomingMessage, 'method' | 'url'>): string => {
    // About the server and not about a path. The handler reads it from `originalUrl`.
    if (url === '*' && method === 'OPTIONS') return UNKNOWN_PATH;
    const path = url.startsWith('/') ? url : url.replace(WHOLE_URL, '');
    if (path === url && !url.startsWith('/')) return MALFORMED_PATH;
    if (path.startsWith(WEBCAT_PREFIX)) return path;
    if (!path.startsWith(basePath)) return UNKNOWN_PATH;
    const rest = path.slice(basePath.length);
    if (rest === '' || rest.startsWith('?')) return `/${rest}`;
    return rest.startsWith('/') ? rest : UNKNOWN_PATH;
  };
}

/** Returns the host and the port of a target that is a whole URL. */
export const authorityOf = (target: string): string | undefined => WHOLE_URL.exec(target)?.[1];
