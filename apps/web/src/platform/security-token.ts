// The security token: fetched when missing or expired, one fetch at a time, kept with its expiry.
import { endpointPath, failureOfAnswer, parseAnswer, SECURITY_TOKEN_MS } from '@furoshiki/core';
import { type Request, readJson } from './request.ts';

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
    const json: unknown = await readJson(response);
    if (!response.ok) throw failureOfAnswer(response.status, json);
    const { token } = parseAnswer('csrfToken', response.status, json);
    storage.setItem(TOKEN_KEY, token);
    storage.setItem(EXPIRY_KEY, String(askedAtMs + SECURITY_TOKEN_MS));
    return token;
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
