// The calls that carry bytes. They are not in the table, because their bodies are no JSON.
import * as z from 'zod/mini';
import { MAX_PARTS } from '@furoshiki/format';
import { fileParams } from '../endpoints.ts';
import { idSchema } from '../schemas.ts';
import { API_PREFIX } from '../essentials.ts';
import { errorResponses } from './errors.ts';
import { EXAMPLE_IDS } from './examples.ts';
import { type Json, parametersOf, schemaOf } from './json-schema.ts';
import { COOKIE_REQUIRED, SIGNED_URL_REQUIRED } from './security.ts';

const count = z.int().check(z.nonnegative());
const partParams = z.object({ key: idSchema, partNumber: z.int().check(z.positive(), z.maximum(MAX_PARTS)) });
const partQuery = z.object({ uploadId: z.string(), offset: count, length: count, expires: count });
const readParams = z.object({ key: idSchema });
const readQuery = z.object({ client: z.string(), expires: count });

const EXAMPLES = {
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
const HEADERS = {
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
  200: { description: 'All bytes.', headers: HEADERS, content: bytes },
  206: {
    description: 'The bytes of the range.',
    headers: { ...HEADERS, 'Content-Range': CONTENT_RANGE },
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

export const bytePaths = (): Record<string, Json> => ({
  [`${API_PREFIX}/download/file/{id}`]: { get: grantedBytes() },
  '/store/{key}/{partNumber}': { put: putPart() },
  '/store/{key}': { get: readBytes() },
});

function parameters(place: 'path' | 'query', schema: z.core.$ZodType): Json[] {
  return parametersOf(place, schemaOf(schema, 'input'), EXAMPLES);
}

function header(name: string, description: string, schema: Json, example: unknown): Json {
  return { name, in: 'header', required: false, description, schema, example };
}
