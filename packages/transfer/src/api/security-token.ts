// The security token: fetched if missing, expired or refused, one fetch at a time, stored with its expiry.
import { API_PREFIX, asFailure, parseSecurityToken, SECURITY_TOKEN_MS, SECURITY_TOKEN_PATH } from '@furoshiki/api';
import type { JsonFetch } from './json-fetch.ts';

const TIMEOUT_MS = 5_000;
const TOKEN_KEY = 'furoshiki.securityToken';
const EXPIRY_KEY = 'furoshiki.securityTokenExpiresAtMs';

export interface SecurityToken {
  get(): Promise<string>;
  /** Replaces a token that the server refused. Returns the current one if another call has renewed it in the meantime. */
  renew(refused: string): Promise<string>;
}

export interface TokenStorage {
  getItem(name: string): string | null;
  setItem(name: string, text: string): void;
}

/** `onFailure` is called if no token could be fetched. */
export function createSecurityToken(
  jsonFetch: JsonFetch,
  storage: TokenStorage,
  onFailure: (thrown: unknown) => void,
): SecurityToken {
  let fetching: Promise<string> | undefined;

  function stored(): string | undefined {
    const expiresAtMs = Number(storage.getItem(EXPIRY_KEY));
    return expiresAtMs > Date.now() ? (storage.getItem(TOKEN_KEY) ?? undefined) : undefined;
  }

  async function fetchToken(): Promise<string> {
    const requestedAtMs = Date.now();
    const { status, json } = await jsonFetch('POST', API_PREFIX + SECURITY_TOKEN_PATH, { timeoutMs: TIMEOUT_MS });
    const token = parseSecurityToken(status, json);
    storage.setItem(TOKEN_KEY, token);
    storage.setItem(EXPIRY_KEY, String(requestedAtMs + SECURITY_TOKEN_MS));
    return token;
  }

  function fetchOnce(): Promise<string> {
    fetching ??= fetchToken()
      .catch((thrown: unknown) => {
        onFailure(thrown);
        throw thrown;
      })
      .finally(() => {
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
        // The token has not expired, and no other can be fetched.
        if (token !== undefined && (code === 'NETWORK' || code === 'TIMEOUT')) return token;
        throw thrown;
      }
    },
  };
}
