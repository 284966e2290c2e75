// fetch for the calls of one server, with its cookie, which a later run of this program needs again.
import type { TextFiles } from '../state/text-files.ts';

const COOKIE = 'cookie';
const OURS = /^(?<pair>(?:__Host-)?furoshiki=[\w-]{1,100})(?:;|$)/u;

export function createSiteFetch(state: TextFiles): (url: string, init: RequestInit) => Promise<Response> {
  let cookie = state.getItem(COOKIE);
  return async (url, init) => {
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === null ? {} : { cookie }) };
    // A redirect would send the cookie to another server.
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const pair = OURS.exec(line)?.groups?.['pair'];
      if (pair === undefined || pair === cookie) continue;
      cookie = pair;
      state.setItem(COOKIE, pair);
    }
    return response;
  };
}
