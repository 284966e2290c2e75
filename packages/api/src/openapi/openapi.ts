// The contract as an OpenAPI document, made from the table that the server and the clients use.
import * as z from 'zod/mini';
import { MAX_PARTS } from '@furoshiki/format';
import {
  ACCESS_TOKEN_HEADER,
  CSRF_HEADER,
  type Endpoint,
  type EndpointName,
  endpoints,
  fileParams,
  OWNER_TOKEN_HEADER,
  REQUEST_HEADER,
  SENDER_TOKEN_HEADER,
  UPLOAD_TOKEN_HEADER,
} from '../endpoints.ts';
import type { ApiErrorCode } from '../errors.ts';
import { API_PREFIX } from '../essentials.ts';
import { errorResponse, idSchema, smallFilesBody } from '../schemas.ts';
import { SMALL_FILES_PATH } from '../small-files.ts';
import { CALLS, EXAMPLE_IDS, TAGS } from './calls.ts';
import { errorResponses, OF_CHANGES, referredResponses } from './error-responses.ts';
import { descriptionOf, type Json, parametersOf, schemaOf } from './fields.ts';

export interface DescribedServer {
  /** The origin and the base path. */
  url: string;
  version: string;
  contactEmail: string | null;
  /** What the server says about each error, in English. */
  errorTexts: Record<ApiErrorCode, string>;
}

export function openApiDocument({ url, version, contactEmail, errorTexts }: DescribedServer): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Furoshiki',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
      ...(contactEmail !== null && { contact: { email: contactEmail } }),
    },
    servers: [{ url }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: paths(),
    components: {
      securitySchemes: securitySchemes(url),
      schemas: { ErrorBody: schemaOf(errorResponse, 'output') },
      responses: referredResponses(paths(), errorTexts),
    },
  };
}

const DESCRIPTION = [
  'Send files to people. The client encrypts everything that is stored; FORMAT.md has the format and says how to read a file.',
  'Calls other than GET need a security token, from csrfToken, together with the cookie that came with it.',
  'Bytes are sent to and fetched from the signed URLs that presignPart and takeGrant return. These lead to this server (Bytes), or to the bucket if it stores bytes in S3.',
  'Every error has the same body. Programs decide by its errorCode, and wait for Retry-After if there is one.',
].join('\n\n');

/**
 * A fixed segment after a parameter becomes a parameter with one value. Tools otherwise take `/download/{id}/confirm` and
 * `/download/page/{pageID}` for paths that can both match the same request.
 */
const FIXED_AFTER_PARAMETER = /(?<=\{\w+\}\/)\w+$/u;

const templateOf = ({ path }: Endpoint) => (API_PREFIX + path).replaceAll(/:(\w+)/gu, '{$1}');
const pathOf = (endpoint: Endpoint) => templateOf(endpoint).replace(FIXED_AFTER_PARAMETER, '{action}');

function actionOf(endpoint: Endpoint): Json[] {
  const [action] = FIXED_AFTER_PARAMETER.exec(templateOf(endpoint)) ?? [];
  if (action === undefined) return [];
  const schema = { type: 'string', enum: [action] };
  return [{ name: 'action', in: 'path', required: true, description: descriptionOf('action', ''), schema }];
}

let described: Record<string, Json> | undefined;
/** Described once: anyone may ask for the document, and describing the schemas takes most of the time. */
const paths = () => (described ??= { ...tablePaths(), ...bytePaths() });

function tablePaths(): Record<string, Json> {
  const ofTable: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints) as [EndpointName, Endpoint][]) {
    const path = pathOf(endpoint);
    ofTable[path] = { ...ofTable[path], [endpoint.method.toLowerCase()]: operation(name, endpoint) };
  }
  return ofTable;
}

function operation(name: EndpointName, endpoint: Endpoint): Json {
  const { params, query, body, response } = endpoint;
  const call = { takes: undefined, body: undefined, ...CALLS[name] };
  return {
    operationId: name,
    tags: [call.tag],
    summary: call.summary,
    ...(call.description !== undefined && { description: call.description }),
    security: securityOf(name, endpoint),
    parameters: [
      ...(params ? parametersOf('path', schemaOf(params, 'input', name), EXAMPLE_IDS) : []),
      ...actionOf(endpoint),
      ...(query ? parametersOf('query', schemaOf(query, 'input', name)) : []),
    ],
    ...(body && {
      requestBody: { required: true, description: call.takes, content: json(schemaOf(body, 'input', name), call.body) },
    }),
    responses: {
      200: { description: call.returns, content: json(schemaOf(response, 'output', name), call.response) },
      ...errorsOf(name, endpoint),
    },
  };
}

const json = (schema: Json, example: unknown) => ({ 'application/json': { schema, example } });

// What identifies a client and proves its rights, and which call needs what.
type Requirement = Record<string, readonly string[]>;

const COOKIE: Requirement = { clientCookie: [] };
const TOKEN: Requirement = { ...COOKIE, securityToken: [] };
const COOKIE_REQUIRED = [COOKIE];
const SIGNED_URL_REQUIRED = [{ signedUrl: [] }];

function securitySchemes(serverUrl: string): Json {
  // Browsers accept the prefix only over https and for the root of a host.
  const hasPrefix = /^https:\/\/[^/]+$/u.test(serverUrl);
  return {
    clientCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: hasPrefix ? '__Host-furoshiki' : 'furoshiki',
      description:
        'Identifies a client: grants and security tokens belong to it. A call without it gets a new one in Set-Cookie. Its name is furoshiki without https or below a base path, otherwise __Host-furoshiki.',
    },
    securityToken: {
      type: 'apiKey',
      in: 'header',
      name: CSRF_HEADER,
      description: 'The token of csrfToken, valid for 25 minutes, together with the cookie that it is bound to.',
    },
    uploadToken: {
      type: 'apiKey',
      in: 'header',
      name: UPLOAD_TOKEN_HEADER,
      description:
        'The password of an instance that not everyone may upload to. The call config says whether it has one.',
    },
    uploadPass: {
      type: 'apiKey',
      in: 'cookie',
      name: hasPrefix ? '__Host-furoshiki-pass' : 'furoshiki-pass',
      description:
        'Instead of the upload token, on an instance where people sign in. The page /sign-in sets it for people whom the proxy has let through. Valid for 12 hours.',
    },
    keyProof: {
      type: 'apiKey',
      in: 'header',
      name: ACCESS_TOKEN_HEADER,
      description:
        'Base64 of the access token, which is derived from the key (FORMAT.md): proves that a client has the key. Files of format 1 need none.',
    },
    request: {
      type: 'apiKey',
      in: 'header',
      name: REQUEST_HEADER,
      description: 'The id of the request for files that an upload belongs to, together with senderToken.',
    },
    senderToken: {
      type: 'apiKey',
      in: 'header',
      name: SENDER_TOKEN_HEADER,
      description: 'Base64, derived from the request link: proves that a sender has the whole link.',
    },
    ownerToken: {
      type: 'apiKey',
      in: 'header',
      name: OWNER_TOKEN_HEADER,
      description: 'Base64, derived from the inbox key: proves that a client may see what was sent for a request.',
    },
    signedUrl: {
      type: 'apiKey',
      in: 'query',
      name: 'signature',
      description: 'Part of the URL that presignPart and takeGrant return. Use such a URL unchanged.',
    },
  };
}

const UPLOADER: readonly Requirement[] = [
  { ...TOKEN, uploadToken: [] },
  { ...TOKEN, uploadPass: [] },
];
const OWNER: Requirement = { ...COOKIE, ownerToken: [] };
const OWNER_WITH_TOKEN: Requirement = { ...TOKEN, ownerToken: [] };
const KEY_PROOF: Requirement = { ...COOKIE, keyProof: [] };

/** The alternatives of calls that need more than a cookie or a security token, the strongest first. */
const OF_CALL: Partial<Record<EndpointName, readonly Requirement[]>> = {
  uploadPermission: [{ uploadToken: [] }, { uploadPass: [] }, {}],
  initUpload: [...UPLOADER, { ...TOKEN, request: [], senderToken: [] }, TOKEN],
  groupFiles: [{ ...TOKEN, senderToken: [] }, TOKEN],
  createRequest: [...UPLOADER, TOKEN],
  deliveries: [OWNER],
  closeRequest: [OWNER_WITH_TOKEN],
  deleteRequest: [OWNER_WITH_TOKEN],
  page: [OWNER, COOKIE, {}],
  takeGrant: [{ ...KEY_PROOF, ownerToken: [] }, KEY_PROOF, COOKIE, {}],
};

/** An empty alternative means that nothing is needed. */
function securityOf(name: EndpointName, endpoint: Endpoint): readonly Requirement[] {
  const ofCall = OF_CALL[name];
  if (ofCall) return ofCall;
  if (needsToken(name, endpoint)) return [TOKEN];
  return CALLS[name].needsCookie ? COOKIE_REQUIRED : [COOKIE, {}];
}

function needsToken(name: EndpointName, { method }: Pick<Endpoint, 'method'>): boolean {
  return method !== 'GET' && name !== 'csrfToken';
}

/** Those that the shape of a call implies, and those of its own. */
function errorsOf(name: EndpointName, { method, params }: Endpoint): Json {
  return errorResponses([
    ...(method === 'GET' ? [] : OF_CHANGES),
    ...(needsToken(name, { method }) ? (['CSRF_TOKEN_EXPIRED'] as const) : []),
    ...(params ? (['NOT_FOUND'] as const) : []),
    ...(CALLS[name].errors ?? []),
  ]);
}

// The calls that carry bytes. They are not in the table, because their bodies are no JSON.
const count = z.int().check(z.nonnegative());
const partParams = z.object({ key: idSchema, partNumber: z.int().check(z.positive(), z.maximum(MAX_PARTS)) });
const partQuery = z.object({ uploadId: z.string(), offset: count, length: count, expires: count });
const readParams = z.object({ key: idSchema });
const readQuery = z.object({ client: z.string(), expires: count });

const BYTE_EXAMPLES = {
  ...EXAMPLE_IDS,
  key: EXAMPLE_IDS.fileKey,
  partNumber: 1,
  offset: 0,
  length: 1028,
  client: 'example-client-hash',
  expires: 1_800_000_000_000,
};

const text = { type: 'string' };
const bytes = { 'application/octet-stream': { schema: { ...text, contentMediaType: 'application/octet-stream' } } };
const number = { type: 'integer' };
const ETAG = {
  description: 'Identifies these bytes, which never change.',
  schema: text,
  example: `"${EXAMPLE_IDS.fileKey}"`,
};
const BYTE_HEADERS = {
  'Accept-Ranges': { description: 'Always bytes.', schema: text, example: 'bytes' },
  'Content-Length': { description: 'How many bytes follow.', schema: number, example: 1028 },
  ETag: ETAG,
};
const CONTENT_RANGE = {
  description: 'The range, and how many bytes there are.',
  schema: text,
  example: 'bytes 0-1027/2056',
};

const BYTES_OR_RANGE = {
  200: { description: 'All bytes.', headers: BYTE_HEADERS, content: bytes },
  206: {
    description: 'The bytes of the range.',
    headers: { ...BYTE_HEADERS, 'Content-Range': CONTENT_RANGE },
    content: bytes,
  },
  304: { description: 'If-None-Match lists the ETag.', headers: { ETag: ETAG } },
  412: { description: 'If-Match does not list the ETag.', headers: { ETag: ETAG } },
};
const READING = [
  header('Range', 'One range of bytes. Several ranges get all bytes.', text, 'bytes=0-1027'),
  header('If-Range', 'With another ETag the response has all bytes.', text, ETAG.example),
  header('If-Match', 'With other ETags the response is 412.', text, ETAG.example),
  header('If-None-Match', 'With the ETag the response is 304.', text, '"other"'),
];

const grantedBytes = () => ({
  operationId: 'storedBytes',
  tags: ['Download'],
  summary: 'The stored bytes of a file, for a client that has a grant on it and cannot reach the signed URL.',
  security: COOKIE_REQUIRED,
  parameters: [...parameters('path', fileParams), ...READING],
  responses: {
    ...BYTES_OR_RANGE,
    ...errorResponses(['FORBIDDEN', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE', 'QUOTA_EXCEEDED']),
  },
});

const smallFiles = () => ({
  operationId: 'smallFiles',
  tags: ['Download'],
  summary: 'Takes one download from each of many small files, and sends their stored bytes in one response.',
  description: SMALL_FILES_FORMAT,
  security: [{ ...TOKEN, keyProof: [], ownerToken: [] }, { ...TOKEN, keyProof: [] }, TOKEN],
  parameters: [],
  requestBody: {
    required: true,
    description: 'The files, in the order in which they are wanted.',
    content: json(schemaOf(smallFilesBody, 'input', 'smallFiles'), { ids: [EXAMPLE_IDS.id] }),
  },
  responses: {
    200: { description: 'A frame for each file, and the last frame.', content: bytes },
    ...errorResponses([...OF_CHANGES, 'CSRF_TOKEN_EXPIRED', 'NOT_FOUND']),
  },
});

const SMALL_FILES_FORMAT = [
  'For each file it does what takeGrant does, and counts as it: a repeated call with the same cookie spends nothing. The bytes of a file are those that its URL would send. All come through this server, also if it stores bytes in S3.',
  'A file has 1,048,576 stored bytes at most, all together have 8,388,608. What is beyond that is refused (BODY_TOO_LARGE) and not spent.',
  'The response is a sequence of frames without anything between them, one for each file in the order of the request. A frame is: the length of the head in 4 bytes, the length of the file in 4 bytes, both big-endian and without a sign; the head; the stored bytes of the file.',
  'The head is JSON in UTF-8, 4,096 bytes at most: `id`, `status` and `body`, and `retryAfterSeconds` if a retry may succeed after them. With status 200 the body is `{"requiresDecryptionConfirmation": true}` or false, and all stored bytes of the file follow. With any other status it is the error that takeGrant would return, and the length of the file is 0.',
  'After the last file there are 8 bytes that are 0, and nothing else. A response that ends earlier, or that differs from this, was cut or changed: request the files that are missing again.',
].join('\n\n');

const putPart = () => ({
  operationId: 'putPart',
  tags: ['Bytes'],
  summary: 'Stores one part. Sending it again replaces it.',
  description: 'The signature binds place and length of the part. The bytes are synced before the response.',
  security: SIGNED_URL_REQUIRED,
  parameters: [
    ...parameters('path', partParams),
    ...parameters('query', partQuery),
    header('Content-Length', 'If it is given, it must be the length in the URL.', number, 1028),
  ],
  requestBody: { required: true, description: 'The sealed chunk, of exactly the length in the URL.', content: bytes },
  responses: {
    200: {
      description: 'The part is stored.',
      headers: {
        ETag: { required: true, description: 'Identifies this PUT.', schema: text, example: '"example-etag"' },
      },
    },
    ...errorResponses([
      'PART_LENGTH_INVALID',
      'SIGNATURE_INVALID',
      'URL_EXPIRED',
      'NOT_FOUND',
      'UPLOAD_CLOSED',
      'QUOTA_EXCEEDED',
    ]),
  },
});

const readBytes = () => ({
  operationId: 'readBytes',
  tags: ['Bytes'],
  summary: 'The stored bytes of a file.',
  description: 'A URL ends with its grant, at the latest after one hour.',
  security: SIGNED_URL_REQUIRED,
  parameters: [...parameters('path', readParams), ...parameters('query', readQuery), ...READING],
  responses: {
    ...BYTES_OR_RANGE,
    ...errorResponses(['SIGNATURE_INVALID', 'URL_EXPIRED', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE']),
  },
});

const bytePaths = (): Record<string, Json> => ({
  [`${API_PREFIX}/download/file/{id}`]: { get: grantedBytes() },
  [API_PREFIX + SMALL_FILES_PATH]: { post: smallFiles() },
  '/store/{key}/{partNumber}': { put: putPart() },
  '/store/{key}': { get: readBytes() },
});

function parameters(place: 'path' | 'query', schema: z.core.$ZodType): Json[] {
  return parametersOf(place, schemaOf(schema, 'input'), BYTE_EXAMPLES);
}

function header(name: string, description: string, schema: Json, example: unknown): Json {
  return { name, in: 'header', required: false, description, schema, example };
}
