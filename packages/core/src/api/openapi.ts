// The contract as an OpenAPI document, made from the table that the server and the clients use.
import * as z from 'zod/mini';
import { API_ERROR_STATUS } from '../errors.ts';
import { CSRF_HEADER, type Endpoint, type EndpointName, endpoints, UPLOAD_TOKEN_HEADER } from './endpoints.ts';
import { errorResponse } from './schemas.ts';
import { API_PREFIX } from './without-schemas.ts';

type Json = Record<string, unknown>;

export function openApiDocument(serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints) as [EndpointName, Endpoint][]) {
    const path = endpoint.path.replaceAll(/:(\w+)/gu, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Furoshiki', version: '1', description: DESCRIPTION },
    servers: [{ url: serverUrl + API_PREFIX }],
    paths: { ...paths, '/download/file/{id}': { get: STORED_BYTES } },
    components: { schemas: { Error: schemaOf(errorResponse) } },
  };
}

/** What each call does, in a sentence. Not in the table, so that browsers do not load it. */
const SUMMARY: Record<EndpointName, string> = {
  config: 'The limits and switches of this instance.',
  readiness: 'Whether database and storage respond as well. If they do not, a failed call is worth a retry later.',
  csrfToken: 'A security token, valid for 25 minutes, bound to the cookie of the response.',
  initUpload:
    'Opens the upload of one file. The chunk size of the response decides how it is cut; the URL is of the first part.',
  presignPart: 'A URL for the PUT of one part, of exactly its length. The PUT returns an ETag.',
  completePart: 'Reports that a part was sent, which extends the lifetime of the upload.',
  uploadStatus: 'The parts that are stored and synced.',
  completeUpload: 'Makes the parts a file that can be downloaded. Idempotent.',
  cancelUpload: 'Removes an upload that is not complete.',
  groupFiles: 'Puts the files of one upload on one page and closes it. The sealed list is stored with the page.',
  createResumeSecret:
    'A random secret that a client needs to decrypt its own record of a running upload. Bound to the cookie, kept for a day.',
  readResumeSecret:
    'The secret again, if the client has the same cookie. Keeps it for another day, three days in total.',
  dropResumeSecret: 'Deletes the secret when the upload ends.',
  page: 'The files of a page.',
  fileInfo: 'One file. 404 if it is missing, expired, or has reached its limit.',
  takeGrant:
    'Takes one download from the limit and returns a URL of the bytes. Free while the grant lives. Requires Accept: application/json, and for files of format 2 the access token.',
  confirmDownload: 'Ends the grant. A file that has reached its limit and has no other grant is deleted.',
  deleteFile: 'Deletes a file.',
  batch: 'Makes several calls at once. Each counts towards its own limits and has its own response, in the same order.',
  contact: 'Sends a message to the operator.',
  report: 'Reports a page to the operator.',
};

const DESCRIPTION = [
  'Send files to people. The client encrypts everything that is stored; FORMAT.md has the format and says how to read a file.',
  `Calls other than GET take a security token in the header ${CSRF_HEADER}, from POST /csrf-token, together with the cookie that came with it.`,
  'Bytes are sent to and fetched from the signed URLs that presigned-url and download return.',
].join('\n\n');

const ERRORS: Json = {
  description: `An error: ${Object.keys(API_ERROR_STATUS).join(', ')}.`,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
};

const STORED_BYTES: Json = {
  operationId: 'storedBytes',
  summary: 'The stored bytes of a file, for a client that holds a grant on it. Takes a Range header.',
  parameters: parametersOf('path', { properties: { id: { type: 'string' } }, required: ['id'] }),
  responses: {
    200: { description: 'All bytes.', content: { 'application/octet-stream': {} } },
    206: { description: 'The bytes of the range.', content: { 'application/octet-stream': {} } },
    default: ERRORS,
  },
};

function operation(name: EndpointName, { method, params, query, headers, body, response }: Endpoint): Json {
  return {
    operationId: name,
    summary: SUMMARY[name],
    parameters: [
      ...(params ? parametersOf('path', schemaOf(params)) : []),
      ...(query ? parametersOf('query', schemaOf(query)) : []),
      ...(headers ? parametersOf('header', schemaOf(headers)) : []),
      ...(method === 'GET' || name === 'csrfToken' ? [] : [headerParameter(CSRF_HEADER, true)]),
      ...(name === 'initUpload' ? [headerParameter(UPLOAD_TOKEN_HEADER, false)] : []),
    ],
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body) } } } } : {}),
    responses: {
      200: { description: 'Done.', content: { 'application/json': { schema: schemaOf(response) } } },
      default: ERRORS,
    },
  };
}

function headerParameter(name: string, required: boolean): Json {
  return { name, in: 'header', required, schema: { type: 'string' } };
}

function parametersOf(place: 'path' | 'query' | 'header', schema: Json): Json[] {
  const required = schema['required'] as string[] | undefined;
  return Object.entries(schema['properties'] as Record<string, Json>).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || (required?.includes(name) ?? false),
    schema: property,
  }));
}

function schemaOf(schema: z.core.$ZodType): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    // As a client writes it. Unknown fields are ignored, so the schema does not forbid them.
    io: 'input',
    // Omit the limits of JavaScript's integers, which only add noise.
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  }) as Json;
  return json;
}
