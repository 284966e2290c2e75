// The error responses of the document: one for each status of a call, named after its codes.
import { API_ERROR_STATUS, type ApiErrorCode } from '../errors.ts';
import type { Json } from './fields.ts';

/** Of any request: what is wrong with its address or headers, and what is wrong with the server. */
const ALWAYS: readonly ApiErrorCode[] = [
  'VALIDATION_FAILED',
  'URI_TOO_LONG',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'INTERNAL',
  'SERVICE_UNAVAILABLE',
];

/** Of any call that is not a GET. */
export const OF_CHANGES: readonly ApiErrorCode[] = ['BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'QUOTA_EXCEEDED'];

/** References to the responses, one per status. */
export function errorResponses(codes: readonly ApiErrorCode[]): Json {
  const byStatus = Map.groupBy(inTableOrder([...ALWAYS, ...codes]), (code) => API_ERROR_STATUS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, ofStatus]) => [status, { $ref: `#/components/responses/${ofStatus.join('.')}` }]),
  );
}

/** The responses that the paths refer to. Each is named after its codes. */
export function referredResponses(paths: Json, texts: Record<ApiErrorCode, string>): Json {
  const names = JSON.stringify(paths).matchAll(/#\/components\/responses\/([\w.]+)/gu);
  const unique = [...new Set(Array.from(names, ([, name = '']) => name))].toSorted();
  return Object.fromEntries(unique.map((name) => [name, responseOf(name.split('.') as ApiErrorCode[], texts)]));
}

function responseOf(codes: ApiErrorCode[], texts: Record<ApiErrorCode, string>): Json {
  const headers = HEADERS_OF_STATUS[API_ERROR_STATUS[codes[0] as ApiErrorCode]];
  return {
    description: codes.map((code) => `${code}: ${texts[code]}`).join('\n\n'),
    ...(headers && { headers }),
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: '#/components/schemas/ErrorBody' }, { properties: { errorCode: { enum: codes } } }] },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code, texts[code]) }])),
      },
    },
  };
}

function exampleOf(errorCode: ApiErrorCode, text: string) {
  const field = errorCode === 'VALIDATION_FAILED' ? { field: 'body.partNumber' } : undefined;
  return { errorCode, error: text, message: text, ...field };
}

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds until a retry may succeed.', schema: { type: 'integer' } },
};
const HEADERS_OF_STATUS: Record<number, Json> = {
  401: {
    'WWW-Authenticate': {
      description: 'Furoshiki-Key: prove the key by keyProof. Furoshiki-Sign-In: get an uploadPass.',
      schema: { type: 'string' },
    },
  },
  416: {
    'Content-Range': {
      description: 'How many bytes there are.',
      schema: { type: 'string' },
      example: 'bytes */1028',
    },
  },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

const inTableOrder = (codes: ApiErrorCode[]) =>
  (Object.keys(API_ERROR_STATUS) as ApiErrorCode[]).filter((code) => codes.includes(code));
