import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { API_ERROR_STATUS, type ApiErrorCode } from '../errors.ts';
import { type Endpoint, type EndpointName, endpoints } from '../endpoints.ts';
import { errorResponse } from '../schemas.ts';
import { CALLS, TAGS } from './calls.ts';
import { FIELDS } from './fields.ts';
import { openApiDocument } from './openapi.ts';

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; required: boolean; description: string }[];
  requestBody?: Message;
  responses: Record<string, Message>;
}

interface Message {
  $ref?: string;
  description: string;
  content?: Record<string, { schema: Schema }>;
}

interface Document {
  info: Record<string, unknown>;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: { clientCookie: { name: string } };
    responses: Record<
      string,
      { headers?: object; content: { 'application/json': { examples: Record<string, { value: unknown }> } } }
    >;
    schemas: { ErrorBody: Schema };
  };
}

const errorTexts = Object.fromEntries(Object.keys(API_ERROR_STATUS).map((code) => [code, 'A text.'])) as Record<
  ApiErrorCode,
  string
>;
const server = { url: 'https://files.example.org', version: '1.2.3', contactEmail: null, errorTexts };
const document = openApiDocument(server) as unknown as Document;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const all = Object.entries(endpoints) as [EndpointName, Endpoint][];

function operationOf(id: string): Operation {
  const found = operations.find(({ operationId }) => operationId === id);
  if (!found) throw new Error(`${id} is not in the document`);
  return found;
}

it('describes every call of the table, and those that carry bytes', () => {
  expect(operations.map(({ operationId }) => operationId).toSorted()).toEqual(
    [...Object.keys(endpoints), 'storedBytes', 'smallFiles', 'putPart', 'readBytes'].toSorted(),
  );
  for (const { summary, tags } of operations) {
    expect(summary).toMatch(/\.$/u);
    expect(Object.keys(TAGS)).toEqual(expect.arrayContaining(tags));
  }
});

it('names the server, its version and the licence, and a contact only if there is one', () => {
  expect(document.servers).toEqual([{ url: 'https://files.example.org' }]);
  expect(document.info).toMatchObject({ version: '1.2.3', license: { identifier: 'MIT' } });
  expect(document.info).not.toHaveProperty('contact');
  const withContact = openApiDocument({ ...server, contactEmail: 'help@example.org' });
  expect(withContact['info']).toMatchObject({ contact: { email: 'help@example.org' } });
});

it.each([
  ['https://files.example.org', '__Host-furoshiki'],
  ['https://files.example.org:8443', '__Host-furoshiki'],
  ['https://example.org/files', 'furoshiki'],
  ['http://localhost:3000', 'furoshiki'],
])('names the cookie that %s sets', (url, name) => {
  const { components } = openApiDocument({ ...server, url }) as unknown as Document;
  expect(components.securitySchemes.clientCookie.name).toBe(name);
});

describe('security', () => {
  it.each(all)('of %s has the token if the call changes something', (name, { method }) => {
    const isRequired = operationOf(name).security.every((schemes) => 'securityToken' in schemes);
    expect(isRequired).toBe(method !== 'GET' && name !== 'csrfToken');
  });

  it('offers the strongest alternative first', () => {
    const namesOf = (id: string) => operationOf(id).security.map((schemes) => Object.keys(schemes));
    expect(namesOf('initUpload')).toEqual([
      ['clientCookie', 'securityToken', 'uploadToken'],
      ['clientCookie', 'securityToken', 'uploadPass'],
      ['clientCookie', 'securityToken', 'request', 'senderToken'],
      ['clientCookie', 'securityToken'],
    ]);
    expect(namesOf('takeGrant')).toEqual([
      ['clientCookie', 'keyProof', 'ownerToken'],
      ['clientCookie', 'keyProof'],
      ['clientCookie'],
      [],
    ]);
    expect(namesOf('config')).toEqual([['clientCookie'], []]);
    for (const id of ['readResumeSecret', 'storedBytes']) expect(namesOf(id)).toEqual([['clientCookie']]);
    for (const id of ['putPart', 'readBytes']) expect(namesOf(id)).toEqual([['signedUrl']]);
  });
});

describe('errors', () => {
  it('have every code, except of a path without this method', () => {
    const named = Object.keys(document.components.responses).flatMap((name) => name.split('.'));
    const codes = Object.keys(API_ERROR_STATUS).filter((code) => code !== 'METHOD_NOT_ALLOWED');
    expect([...new Set(named)].toSorted()).toEqual(codes.toSorted());
  });

  it('say when a retry may succeed, and how to prove the key', () => {
    for (const { responses } of operations) {
      for (const status of [429, 503]) {
        const name = responses[status]?.$ref?.split('/').at(-1) ?? '';
        expect(document.components.responses[name]?.headers).toHaveProperty('Retry-After');
      }
    }
    expect(operationOf('takeGrant').responses['401']?.$ref).toBe('#/components/responses/KEY_PROOF_REQUIRED');
    expect(document.components.responses['KEY_PROOF_REQUIRED']?.headers).toHaveProperty('WWW-Authenticate');
  });

  it('have examples that match their schema', () => {
    for (const { content } of Object.values(document.components.responses))
      for (const { value } of Object.values(content['application/json'].examples))
        expect(z.safeParse(errorResponse, value).success, JSON.stringify(value)).toBe(true);
  });
});

it('describes a fixed part of a path after a parameter by its only value', () => {
  expect(document.paths['/api/download/{id}/{action}']?.['post']?.parameters).toEqual([
    expect.objectContaining({ name: 'id', in: 'path', required: true }),
    expect.objectContaining({
      name: 'action',
      in: 'path',
      required: true,
      schema: { type: 'string', enum: ['confirm'] },
    }),
  ]);
});

it.each(all)('has an example of %s that matches the schemas', (name, { body = z.undefined(), response }) => {
  const example: { body?: unknown; response: unknown } = CALLS[name];
  expect(z.safeParse(body, example.body).error).toBeUndefined();
  expect(z.safeParse(response, example.response).error).toBeUndefined();
});

/** Calls `see` with the name of each field. */
function visit(schema: Schema, see: (name: string, field: Schema) => void): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    see(name, field);
    visit(field, see);
  }
  for (const inner of [schema.items ?? [], schema.anyOf ?? []].flat()) visit(inner, see);
}

it('describes every field, parameter, request and response, and nothing that is not there', () => {
  const seen = new Set<string>();
  const see = (name: string, { description }: Schema) => {
    expect(description, name).toMatch(/\.$/u);
    seen.add(name);
  };
  visit(document.components.schemas.ErrorBody, see);
  for (const { parameters, requestBody, responses } of operations) {
    for (const parameter of parameters) see(parameter.name, parameter);
    for (const { $ref, description, content = {} } of [
      ...(requestBody ? [requestBody] : []),
      ...Object.values(responses),
    ]) {
      if ($ref !== undefined) continue;
      expect(description).toMatch(/\.$/u);
      for (const { schema } of Object.values(content)) visit(schema, see);
    }
  }
  const described = Object.keys(FIELDS).map((name) => name.split('.').at(-1) ?? '');
  expect(described.filter((name) => !seen.has(name))).toEqual([]);
});
