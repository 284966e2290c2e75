// The path below which everything stands. Routes know nothing of it: it is cut off before they are looked up.
import type { IncomingMessage } from 'node:http';
import { API_PREFIX } from '@furoshiki/core';

/** A call that does not exist. What lies outside of the base path is answered like it, whatever the path. */
const NOWHERE = `${API_PREFIX}/nowhere`;

export function cutBasePath(basePath: string) {
  return ({ url = '/' }: Pick<IncomingMessage, 'url'>): string => {
    if (!url.startsWith(basePath)) return NOWHERE;
    const rest = url.slice(basePath.length);
    if (rest === '' || rest.startsWith('?')) return `/${rest}`;
    return rest.startsWith('/') ? rest : NOWHERE;
  };
}
