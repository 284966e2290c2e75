// fetch with the settings that every call to our server shares.
import { Failure, failureOfResponse } from '@furoshiki/api';

const TIMEOUT_MS = 10_000;

/** `json` is undefined if the body is not JSON: then it comes from a proxy or a wrong server. */
interface JsonResponse {
  status: number;
  json: unknown;
}

/** Throws NETWORK, TIMEOUT or CANCELLED if there is no response, and the server's failure if the status is an error. */
export type JsonFetch = (method: string, path: string, options?: JsonFetchOptions) => Promise<JsonResponse>;

interface JsonFetchOptions {
  headers?: Record<string, string>;
  body?: string;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
  /** The request outlives the tab. */
  keepalive?: boolean;
}

/** What is used of fetch, for a platform that has another way to send requests. */
export type SmallFetch = (url: string, request: SmallRequest) => Promise<SmallResponse>;

interface SmallRequest extends Pick<RequestInit, 'credentials' | 'keepalive'> {
  method: string;
  headers: Record<string, string>;
  signal: AbortSignal;
  body?: string;
}

interface SmallResponse extends Pick<Response, 'status' | 'ok' | 'text'> {
  headers: Pick<Headers, 'get'>;
}

export function createJsonFetch(
  fetch: SmallFetch,
  language: () => string,
  addressOf: (path: string) => string,
): JsonFetch {
  return async (method, path, { headers, body, timeoutMs = TIMEOUT_MS, signal, keepalive = false } = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(addressOf(path), {
        method,
        credentials: 'include',
        keepalive,
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          'accept-language': language(),
          ...headers,
        },
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        ...(body === undefined ? {} : { body }),
      });
      const json = parseJson(await response.text());
      if (!response.ok) throw refusalOf(response, json);
      return { status: response.status, json };
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      if (signal?.aborted) throw new Failure('CANCELLED', {}, { cause });
      throw new Failure(timeout.aborted ? 'TIMEOUT' : 'NETWORK', {}, { cause });
    }
  };
}

function refusalOf({ status, headers }: SmallResponse, json: unknown): Failure {
  const failure = failureOfResponse(status, json);
  const retryAfterSeconds = Number(headers.get('retry-after') ?? Number.NaN);
  return Number.isNaN(retryAfterSeconds)
    ? failure
    : new Failure(failure.code, { ...failure.details, retryAfterSeconds });
}

/** Returns undefined if the text is not JSON: it may come from a proxy or a wrong server. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
