// Every call of the API: method, path, and the schemas of request and response. Server and clients share this table.
import * as z from 'zod/mini';
import { Failure } from './errors.ts';
import * as schemas from './schemas.ts';
import { API_PREFIX, SECURITY_TOKEN_PATH } from './essentials.ts';

export const CSRF_HEADER = 'x-csrf-token';
export const UPLOAD_TOKEN_HEADER = 'x-upload-token';
/** Base64 of the access token, which only the key yields. */
export const ACCESS_TOKEN_HEADER = 'x-access-token';

/** The request for files that an upload belongs to, and the proof that the sender has its whole link. */
export const REQUEST_HEADER = 'x-request';
export const SENDER_TOKEN_HEADER = 'x-sender-token';
/** The proof that a client has the inbox key of a request. */
export const OWNER_TOKEN_HEADER = 'x-owner-token';

export interface Endpoint {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below /api, with `:name` for each parameter. */
  path: string;
  params?: z.core.$ZodType;
  query?: z.core.$ZodType;
  /** Names in lower case. */
  headers?: z.core.$ZodType;
  body?: z.core.$ZodType;
  response: z.core.$ZodType;
}

export const fileParams = z.object({ id: schemas.idSchema });
const resumeSecretParams = z.object({ id: schemas.idSchema });
const pageParams = z.object({ pageID: schemas.idSchema });

const requestParams = z.object({ requestID: schemas.idSchema });
const ownerHeaders = z.object({ [OWNER_TOKEN_HEADER]: z.optional(z.string()) });
const senderHeaders = z.object({ [SENDER_TOKEN_HEADER]: z.optional(z.string()) });

export const endpoints = {
  config: {
    method: 'GET',
    path: '/config',
    response: schemas.configResponse,
  },
  readiness: {
    method: 'GET',
    path: '/readiness',
    response: schemas.readinessResponse,
  },
  csrfToken: {
    method: 'POST',
    path: SECURITY_TOKEN_PATH,
    response: schemas.tokenResponse,
  },

  uploadPermission: {
    method: 'GET',
    path: '/upload/permission',
    response: schemas.uploadPermissionResponse,
  },
  initUpload: {
    method: 'POST',
    path: '/upload/init',
    headers: z.object({ [REQUEST_HEADER]: z.optional(schemas.idSchema), ...senderHeaders.shape }),
    body: schemas.initUploadBody,
    response: schemas.initUploadResponse,
  },
  presignPart: {
    method: 'POST',
    path: '/upload/presigned-url',
    body: schemas.presignPartBody,
    response: schemas.presignPartResponse,
  },
  completePart: {
    method: 'POST',
    path: '/upload/complete-part',
    body: schemas.completePartBody,
    response: schemas.doneResponse,
  },
  uploadStatus: {
    method: 'POST',
    path: '/upload/status',
    body: schemas.uploadRefBody,
    response: schemas.uploadStatusResponse,
  },
  completeUpload: {
    method: 'POST',
    path: '/upload/complete',
    body: schemas.completeUploadBody,
    response: schemas.completeUploadResponse,
  },
  cancelUpload: {
    method: 'POST',
    path: '/upload/cancel',
    body: schemas.uploadRefBody,
    response: schemas.doneResponse,
  },
  groupFiles: {
    method: 'POST',
    path: '/batch/upload',
    headers: senderHeaders,
    body: schemas.groupFilesBody,
    response: schemas.groupFilesResponse,
  },
  createResumeSecret: {
    method: 'POST',
    path: '/upload/resume-secret',
    response: schemas.createResumeSecretResponse,
  },
  readResumeSecret: {
    method: 'GET',
    path: '/upload/resume-secret/:id',
    params: resumeSecretParams,
    response: schemas.readResumeSecretResponse,
  },
  dropResumeSecret: {
    method: 'DELETE',
    path: '/upload/resume-secret/:id',
    params: resumeSecretParams,
    response: schemas.doneResponse,
  },

  createRequest: {
    method: 'POST',
    path: '/requests',
    body: schemas.createRequestBody,
    response: schemas.createRequestResponse,
  },
  request: {
    method: 'GET',
    path: '/requests/:requestID',
    params: requestParams,
    response: schemas.requestResponse,
  },
  deliveries: {
    method: 'GET',
    path: '/requests/:requestID/deliveries',
    params: requestParams,
    headers: ownerHeaders,
    response: schemas.deliveriesResponse,
  },
  closeRequest: {
    method: 'POST',
    path: '/requests/:requestID/close',
    params: requestParams,
    headers: ownerHeaders,
    response: schemas.doneResponse,
  },
  deleteRequest: {
    method: 'DELETE',
    path: '/requests/:requestID',
    params: requestParams,
    headers: ownerHeaders,
    response: schemas.doneResponse,
  },

  page: {
    method: 'GET',
    path: '/download/page/:pageID',
    params: pageParams,
    headers: ownerHeaders,
    response: schemas.pageResponse,
  },
  fileInfo: {
    method: 'GET',
    path: '/download/info/:id',
    params: fileParams,
    response: schemas.pageFile,
  },
  takeGrant: {
    method: 'GET',
    path: '/download/:id',
    params: fileParams,
    query: z.object({ demo: z.optional(z.enum(['true', 'false'])) }),
    headers: z.object({ [ACCESS_TOKEN_HEADER]: z.optional(z.string()), ...ownerHeaders.shape }),
    response: schemas.grantResponse,
  },
  confirmDownload: {
    method: 'POST',
    path: '/download/:id/confirm',
    params: fileParams,
    response: schemas.doneResponse,
  },
  deleteFile: { method: 'DELETE', path: '/download/:id', params: fileParams, response: schemas.doneResponse },

  batch: { method: 'POST', path: '/batch/calls', body: schemas.batchBody, response: schemas.batchResponse },

  contact: { method: 'POST', path: '/contact', body: schemas.contactBody, response: schemas.doneResponse },
  report: { method: 'POST', path: '/report', body: schemas.reportBody, response: schemas.doneResponse },
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
type SchemaOf<E, Part extends string> = E extends { [K in Part]: infer S extends z.core.$ZodType } ? S : undefined;
type OutputOf<S> = S extends z.core.$ZodType ? z.output<S> : undefined;

export type ApiParams<N extends EndpointName> = OutputOf<SchemaOf<Endpoints[N], 'params'>>;
export type ApiQuery<N extends EndpointName> = OutputOf<SchemaOf<Endpoints[N], 'query'>>;
export type ApiHeaders<N extends EndpointName> = OutputOf<SchemaOf<Endpoints[N], 'headers'>>;
export type ApiBody<N extends EndpointName> = OutputOf<SchemaOf<Endpoints[N], 'body'>>;
export type ApiResponse<N extends EndpointName> = z.output<Endpoints[N]['response']>;

type Given<Key extends string, Value> = Value extends undefined ? unknown : { [K in Key]: Value };
/** What a client passes to make a call. */
export type CallInput<N extends EndpointName> = Given<'params', ApiParams<N>> &
  Given<'body', ApiBody<N>> &
  (ApiQuery<N> extends undefined ? unknown : { query?: ApiQuery<N> }) &
  (ApiHeaders<N> extends undefined ? unknown : { headers?: ApiHeaders<N> });

/** Returns the path of a call with its parameters. */
export function endpointPath(name: EndpointName, params: Record<string, string> = {}): string {
  return (
    API_PREFIX + endpoints[name].path.replaceAll(/:(\w+)/gu, (_, key: string) => encodeURIComponent(params[key] ?? ''))
  );
}

/** Throws API_ERROR if the response does not match its schema, for example because a proxy sent it. */
export function parseResponse<N extends EndpointName>(name: N, status: number, json: unknown): ApiResponse<N> {
  const parsed = z.safeParse(endpoints[name].response, json);
  if (!parsed.success) throw new Failure('API_ERROR', { status });
  return parsed.data as ApiResponse<N>;
}
