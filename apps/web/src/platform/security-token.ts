// The security token: fetched when missing or expired, one fetch at a time, kept with its expiry.
import { endpointPath, Failure } from '@furoshiki/core';
import type { Request } from './api-client.ts';

const LIFETIME_MS = 25 * 60_000;
const TIMEOUT_MS = 5_000;
const TOKEN_KEY = 'furoshiki.securityToken';
const EXPIRY_KEY = 'furoshiki.securityTokenExpiresAtMs';

export interface SecurityToken {
  get(): Promise<string>;
  forget(): void;
}

export function createSecurityToken(request: Request, storage: Storage): SecurityToken {
  let fetching: Promise<string> | undefined;

  function stored(): string | undefined {
    const expiresAtMs = Number(storage.getItem(EXPIRY_KEY));
    return expiresAtMs > Date.now() ? (storage.getItem(TOKEN_KEY) ?? undefined) : undefined;
  }

  async function fetchToken(): Promise<string> {
    const askedAtMs = Date.now();
    const response = await request('POST', endpointPath('csrfToken'), { timeoutMs: TIMEOUT_MS });
    const json: unknown = response.ok ? await response.json() : undefined;
    if (typeof json !== 'object' || json === null || !('token' in json) || typeof json.token !== 'string') {
      throw new Failure('API_ERROR', { status: response.status });
    }
    storage.setItem(TOKEN_KEY, json.token);
    storage.setItem(EXPIRY_KEY, String(askedAtMs + LIFETIME_MS));
    return json.token;
  }

  return {
    async get() {
      const token = stored();
      if (token !== undefined) return token;
      fetching ??= fetchToken().finally(() => {
        fetching = undefined;
      });
      return fetching;
    },
    forget() {
      storage.removeItem(TOKEN_KEY);
      storage.removeItem(EXPIRY_KEY);
    },
  };
}
