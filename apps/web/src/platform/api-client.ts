// The JSON API: every call of the contract, with the security token and every failure as one of our codes.
import {
  type Answer,
  type CallInput,
  CSRF_HEADER,
  type EndpointName,
  endpointPath,
  endpoints,
  Failure,
  failureOfAnswer,
  parseAnswer,
} from '@furoshiki/core';
import type { Api } from '@furoshiki/transfer';
import { type Request, readJson } from './request.ts';
import type { SecurityToken } from './security-token.ts';

const TOKEN_TRIES = 3;

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
    const { method } = endpoints[name];
    const search = query ? `?${new URLSearchParams(query)}` : '';
    const response = await request(method, endpointPath(name, params) + search, {
      headers: method === 'GET' ? {} : { [CSRF_HEADER]: await token.get() },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
    });
    const json = await readJson(response);
    if (!response.ok) throw failureOfAnswer(response.status, json);
    return parseAnswer(name, response.status, json);
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
