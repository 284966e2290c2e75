// The JSON API over fetch: language, credentials, security token, time limit, and every failure as one of our codes.
import {
  type Answer,
  type CallInput,
  CSRF_HEADER,
  type EndpointName,
  endpointPath,
  endpoints,
  errorAnswer,
  Failure,
} from '@furoshiki/core';
import type { Api } from '@furoshiki/transfer';
import * as z from 'zod/mini';
import type { SecurityToken } from './security-token.ts';

const TIMEOUT_MS = 10_000;
const TOKEN_TRIES = 3;

export type Request = (method: string, path: string, options?: RequestOptions) => Promise<Response>;

interface RequestOptions {
  headers?: Record<string, string>;
  body?: string;
  timeoutMs?: number;
  signal?: AbortSignal | undefined;
}

/** fetch with our settings. Throws NETWORK, TIMEOUT or CANCELLED. */
export function createRequest(language: () => string): Request {
  return async (method, path, { headers, body, timeoutMs = TIMEOUT_MS, signal } = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      return await fetch(path, {
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

/** What a call is made of, whichever it is: the types above have already seen to it that it fits. */
interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

export function createApi(request: Request, token: SecurityToken): Api {
  async function attempt<N extends EndpointName>(
    name: N,
    { params, query, body }: AnyInput,
    signal: AbortSignal | undefined,
  ): Promise<Answer<N>> {
    const { method, answer } = endpoints[name];
    const search = query ? `?${new URLSearchParams(query)}` : '';
    const response = await request(method, endpointPath(name, params) + search, {
      headers: method === 'GET' ? {} : { [CSRF_HEADER]: await token.get() },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const json = await readJson(response);
    if (!response.ok) throw failureOf(response.status, json);
    const parsed = z.safeParse(answer, json);
    if (!parsed.success) throw new Failure('API_ERROR', { status: response.status });
    return parsed.data as Answer<N>;
  }

  return {
    async call<N extends EndpointName>(name: N, input: CallInput<N>, signal?: AbortSignal) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(name, input as AnyInput, signal);
        } catch (error) {
          const expired = error instanceof Failure && error.code === 'CSRF_TOKEN_EXPIRED';
          if (!expired || tries > TOKEN_TRIES) throw error;
          token.forget();
        }
      }
    },
  };
}

/** What is not JSON comes from a proxy or a wrong server: it is told by its status alone. */
async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function failureOf(status: number, json: unknown): Failure {
  const parsed = z.safeParse(errorAnswer, json);
  return new Failure(parsed.success ? parsed.data.errorCode : 'API_ERROR', { status });
}
