// The contract as an OpenAPI document, made from the table that the server and the clients use.
import type { ApiErrorCode } from '../errors.ts';
import { type Endpoint, type EndpointName, endpoints } from '../endpoints.ts';
import { errorResponse } from '../schemas.ts';
import { API_PREFIX } from '../essentials.ts';
import { bytePaths } from './byte-calls.ts';
import { errorsOf, referredResponses } from './errors.ts';
import { EXAMPLE_IDS, EXAMPLES } from './examples.ts';
import { descriptionOf, type Json, parametersOf, schemaOf } from './json-schema.ts';
import { OPERATIONS, TAGS } from './operations.ts';
import { securityOf, securitySchemes } from './security.ts';

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
  const { tag, summary, description, returns, takes } = { takes: undefined, ...OPERATIONS[name] };
  const example = { body: undefined, ...EXAMPLES[name] };
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(name, endpoint),
    parameters: [
      ...(params ? parametersOf('path', schemaOf(params, 'input', name), EXAMPLE_IDS) : []),
      ...actionOf(endpoint),
      ...(query ? parametersOf('query', schemaOf(query, 'input', name)) : []),
    ],
    ...(body && {
      requestBody: { required: true, description: takes, content: json(schemaOf(body, 'input', name), example.body) },
    }),
    responses: {
      200: { description: returns, content: json(schemaOf(response, 'output', name), example.response) },
      ...errorsOf(name, endpoint),
    },
  };
}

const json = (schema: Json, example: unknown) => ({ 'application/json': { schema, example } });
