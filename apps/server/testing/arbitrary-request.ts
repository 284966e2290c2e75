// Random requests from the OpenAPI document. Most are almost valid, because those reach the most code.
import { API_PREFIX, BATCHED_CALLS, type BatchedCall, endpoints } from '@furoshiki/api';
import fc from 'fast-check';

export interface RandomRequest {
  method: string;
  path: string;
  body: string | undefined;
  headers: Record<string, string>;
}

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  pattern?: string;
  anyOf?: Schema[];
}

interface Operation {
  parameters: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: { 'application/json'?: { schema: Schema } } };
}

/** Values that often cause bugs. */
const EDGE_CASES: unknown[] = [
  null,
  true,
  '',
  ' ',
  '\0',
  '\ud800',
  '../../etc/passwd',
  "' or 1=1 --",
  '%00',
  '{{7*7}}',
  '<script>',
  'x'.repeat(5000),
  -1,
  0,
  0.5,
  1e308,
  2 ** 53,
  [],
  {},
  [[[[]]]],
  { toString: 1 },
  { constructor: { prototype: {} } },
];

const anything = fc.oneof(fc.constantFrom(...EDGE_CASES), fc.jsonValue());

/** Most values match the schema, some are arbitrary. `known` are existing ids, so that some calls succeed. */
function valueOf(schema: Schema, known: string[]): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 8, arbitrary: matchingValue(schema, known) }, { weight: 1, arbitrary: anything });
}

function matchingValue(schema: Schema, known: string[]): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((choice) => matchingValue(choice, known)));
  if (schema.const !== undefined) return fc.constant(schema.const);
  switch (schema.type) {
    case 'object': {
      const { properties = {}, required = [] } = schema;
      const fields = Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, valueOf(field, known)]),
      );
      return fc.record(fields, { requiredKeys: required.filter((name) => name in properties) });
    }
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, known), { maxLength: 5 });
    case 'integer':
    case 'number':
      return fc.oneof(fc.integer({ min: 0, max: 120 }), fc.integer());
    case 'boolean':
      return fc.boolean();
    case 'string':
      return fc.oneof(fc.constantFrom(...known), fc.string({ unit: 'binary', maxLength: 60 }));
    default:
      return anything;
  }
}

export function randomRequest(document: Record<string, unknown>, known: string[]): fc.Arbitrary<RandomRequest> {
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestOf(method.toUpperCase(), path, operation, known)),
  );
  return fc.oneof(...operations);
}

function requestOf(
  method: string,
  path: string,
  { parameters, requestBody }: Operation,
  known: string[],
): fc.Arbitrary<RandomRequest> {
  const valuesIn = (location: string) =>
    fc.record(
      Object.fromEntries(
        parameters
          .filter((parameter) => parameter.in === location)
          .map(({ name, schema }) => [name, valueOf(schema, known)]),
      ),
    );
  const schema = requestBody?.content['application/json']?.schema;
  const json = schema ? valueOf(schema, known).map((value) => JSON.stringify(value)) : fc.constant(undefined);
  const body = fc.oneof({ weight: 10, arbitrary: json }, { weight: 1, arbitrary: fc.string({ maxLength: 50 }) });
  return fc.record({
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant(method) },
      fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH'),
    ),
    path: fc.tuple(valuesIn('path'), valuesIn('query')).map(([inPath, inQuery]) => {
      const filled = path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => encode(inPath[name]));
      const query = Object.entries(inQuery).map(([name, value]) => `${name}=${encode(value)}`);
      return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
    }),
    body,
    headers: headersOf(valuesIn('header')),
  });
}

/** The headers of the call, and others that every call may have. */
function headersOf(ofCall: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Record<string, string>> {
  const general = fc.record(
    {
      accept: fc.constantFrom('application/json', '*/*', 'text/html'),
      'accept-language': fc.constantFrom('ja', 'en;q=0', ',,,', 'x'.repeat(200)),
      'content-type': fc.constantFrom(
        'application/json',
        'text/plain',
        'application/json; charset=utf-16',
        'multipart/form-data',
      ),
      range: fc.constantFrom('bytes=0-', 'bytes=5-1', 'bytes=-5', 'bytes=99999999999999999999-', 'lines=1-2'),
    },
    { requiredKeys: [] },
  );
  return fc.tuple(ofCall, general).map(([values, others]) => ({
    ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encode(value)])),
    ...others,
  }));
}

function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null);
  return encodeURIComponent(text.toWellFormed());
}

/** The calls of a batch: each as the document describes it, with some that are something else. */
export function randomBatch(document: Record<string, unknown>, known: string[]): fc.Arbitrary<unknown> {
  const paths = document['paths'] as Record<string, Record<string, Operation>>;
  const bodyOf = (name: BatchedCall) => {
    const { method, path } = endpoints[name];
    const operation = paths[API_PREFIX + path.replaceAll(/:(\w+)/gu, '{$1}')]?.[method.toLowerCase()];
    const schema = operation?.requestBody?.content['application/json']?.schema;
    return schema ? valueOf(schema, known) : fc.constant(undefined);
  };
  const text = valueOf({ type: 'string' }, known);
  const calls = BATCHED_CALLS.map((name) =>
    fc.record(
      {
        name: fc.constant(name),
        params: fc.record({ id: text, __proto__x: text }, { requiredKeys: ['id'] }),
        headers: fc.record(
          { 'x-access-token': text, 'x-upload-token': text, cookie: text, 'x-csrf-token': text, host: text },
          { requiredKeys: [] },
        ),
        body: bodyOf(name),
      },
      { requiredKeys: ['name', 'params', 'body'] },
    ),
  );
  const call = fc.oneof({ weight: 20, arbitrary: fc.oneof(...calls) }, { weight: 1, arbitrary: anything });
  return fc.oneof(
    { weight: 20, arbitrary: fc.record({ calls: fc.array(call, { minLength: 1, maxLength: 17 }) }) },
    { weight: 1, arbitrary: anything },
  );
}
