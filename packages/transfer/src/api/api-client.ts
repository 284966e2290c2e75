// The JSON API: every call of the contract, with the security token, and every failure as one of our codes.
import {
  type ApiBody,
  type ApiResponse,
  asFailure,
  type CallInput,
  CSRF_HEADER,
  type EndpointName,
  endpointPath,
  endpoints,
  parseResponse,
  UPLOAD_TOKEN_HEADER,
} from '@furoshiki/api';
import type { Api } from '../ports.ts';
import type { JsonFetch } from './json-fetch.ts';
import type { SecurityToken } from './security-token.ts';

const TOKEN_RETRIES = 3;

/** The input of any call. The types of `Api` have already checked that it fits. */
interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
}

interface CallOptions {
  token?: string;
  signal?: AbortSignal | undefined;
  keepalive?: boolean;
}

/** The upload token is a secret of its server: it goes only with calls that the server refuses without it. */
function opensUpload(name: EndpointName, body: unknown): boolean {
  if (name !== 'batch') return name === 'initUpload';
  return (body as ApiBody<'batch'>).calls.some((call) => call.name === 'initUpload');
}

/** `uploadToken` returns the token that this private instance requires to open an upload, or an empty string. */
export function createApi(jsonFetch: JsonFetch, token: SecurityToken, uploadToken: () => string): Api {
  const headersOf = (name: EndpointName, body: unknown, tokenText: string | undefined): Record<string, string> => ({
    ...(tokenText === undefined ? {} : { [CSRF_HEADER]: tokenText }),
    ...(opensUpload(name, body) && uploadToken() !== '' ? { [UPLOAD_TOKEN_HEADER]: uploadToken() } : {}),
  });

  async function attempt<N extends EndpointName>(
    name: N,
    { params, query, headers, body }: AnyInput,
    { token: tokenText, ...options }: CallOptions,
  ): Promise<ApiResponse<N>> {
    const search = query ? `?${new URLSearchParams(query)}` : '';
    const { status, json } = await jsonFetch(endpoints[name].method, endpointPath(name, params) + search, {
      headers: { ...headersOf(name, body, tokenText), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...options,
    });
    return parseResponse(name, status, json);
  }

  return {
    async call<N extends EndpointName>(name: N, input: CallInput<N>, signal?: AbortSignal) {
      if (endpoints[name].method === 'GET') return attempt(name, input as AnyInput, { signal });
      let tokenText = await token.get();
      for (let retries = 0; ; retries += 1) {
        try {
          return await attempt(name, input as AnyInput, { token: tokenText, signal });
        } catch (thrown) {
          if (asFailure(thrown).code !== 'CSRF_TOKEN_EXPIRED' || retries === TOKEN_RETRIES) throw thrown;
          tokenText = await token.renew(tokenText);
        }
      }
    },
    callOnUnload(name, input) {
      const sent = token.get().then((text) => attempt(name, input as AnyInput, { token: text, keepalive: true }));
      sent.catch(() => undefined);
    },
  };
}
