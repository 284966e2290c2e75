// The security token: fetched when missing, expired or refused, one fetch at a time, kept with its expiry.
import { asFailure, endpointPath, parseAnswer, SECURITY_TOKEN_MS } from '@furoshiki/core';
import type { TextStorage } from '../device/open-storage.ts';
import type { JsonFetch } from './json-fetch.ts';

const TIMEOUT_MS = 5_000;
const TOKEN_KEY = 'furoshiki.securityToken';
const EXPIRY_KEY = 'furoshiki.securityTokenExpiresAtMs';

export interface SecurityToken {
  get(): Promise<string>;
  /** A fresh one in place of one that the server refused. Where another call has fetched it meanwhile, that one. */
  renew(refused: string): Promise<string>;
}

export function createSecurityToken(request: JsonFetch, storage: TextStorage): SecurityToken {
  let fetching: Promise<string> | undefined;

  function stored(): string | undefined {
    const expiresAtMs = Number(storage.getItem(EXPIRY_KEY));
    return expiresAtMs > Date.now() ? (storage.getItem(TOKEN_KEY) ?? undefined) : undefined;
  }

  async function fetchToken(): Promise<string> {
    const askedAtMs = Date.now();
    const { status, json } = await request('POST', endpointPath('csrfToken'), { timeoutMs: TIMEOUT_MS });
    const { token } = parseAnswer('csrfToken', status, json);
    storage.setItem(TOKEN_KEY, token);
    storage.setItem(EXPIRY_KEY, String(askedAtMs + SECURITY_TOKEN_MS));
    return token;
  }

  function fetchOnce(): Promise<string> {
    fetching ??= fetchToken().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  return {
    async get() {
      return stored() ?? fetchOnce();
    },
    async renew(refused) {
      const token = stored();
      if (token !== undefined && token !== refused) return token;
      try {
        return await fetchOnce();
      } catch (thrown) {
        const { code } = asFailure(thrown);
        // By its date it is good yet, and there is no other to be had.
        if (token !== undefined && (code === 'NETWORK' || code === 'TIMEOUT')) return token;
        throw thrown;
      }
    },
  };
}
