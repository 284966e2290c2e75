// fetch with the settings that every call to our server shares.
import { Failure } from '@furoshiki/core';

const TIMEOUT_MS = 10_000;

export type Request = (method: string, path: string, options?: RequestOptions) => Promise<Response>;

interface RequestOptions {
  headers?: Record<string, string>;
  body?: string;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/** fetch with our settings. Throws NETWORK, TIMEOUT or CANCELLED. */
export function createRequest(language: () => string, addressOf: (path: string) => string): Request {
  return async (method, path, { headers, body, timeoutMs = TIMEOUT_MS, signal } = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await fetch(addressOf(path), {
        method,
        credentials: 'include',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'accept-language': language(),
          ...headers,
        },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        ...(body === undefined ? {} : { body }),
      });
    } catch (cause) {
      if (signal?.aborted) throw new Failure('CANCELLED', {}, { cause });
      throw new Failure(timeout.aborted ? 'TIMEOUT' : 'NETWORK', {}, { cause });
    }
  };
}

/** What is not JSON comes from a proxy or a wrong server and is told by its status; a body that broke off is the network's. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw new Failure('NETWORK', {}, { cause });
  }
}
