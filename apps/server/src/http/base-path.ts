// Removes BASE_PATH from request URLs before routing, so that routes do not depend on it.
import type { IncomingMessage } from 'node:http';
import { API_PREFIX } from '@furoshiki/core';

/** No route has this path: every URL outside of the base path gets the API's 404. */
const UNKNOWN_PATH = `${API_PREFIX}/unknown`;

export function removeBasePath(basePath: string) {
  return ({ url = '/' }: Pick<IncomingMessage, 'url'>): string => {
    if (!url.startsWith(basePath)) return UNKNOWN_PATH;
    const rest = url.slice(basePath.length);
    if (rest === '' || rest.startsWith('?')) return `/${rest}`;
    return rest.startsWith('/') ? rest : UNKNOWN_PATH;
  };
}
