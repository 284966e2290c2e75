import { type Endpoint, type EndpointName, endpointPath, endpoints, errorResponse } from '@furoshiki/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await createTestServer();
  client = new TestClient(server);
  await client.renewToken();
});
afterAll(() => server.close());

const all = Object.entries(endpoints) as [EndpointName, Endpoint][];
const withBody = all.filter(([, { body }]) => body !== undefined);
const withParams = all.filter(([, { params }]) => params !== undefined);
const UNKNOWN = { id: 'A'.repeat(22), pageID: 'A'.repeat(22) };

async function codeOf(
  name: EndpointName,
  method: string,
  init: { path?: string; body?: string; contentType?: string } = {},
) {
  const response = await server.fetch(server.url + (init.path ?? endpointPath(name, UNKNOWN)), {
    method,
    headers: {
      accept: 'application/json',
      cookie: client.cookie,
      'x-csrf-token': client.token,
      ...(init.body === undefined ? {} : { 'content-type': init.contentType ?? 'application/json' }),
    },
    ...(init.body === undefined ? {} : { body: init.body }),
  });
  const body: unknown = await response.json();
  expect(z.safeParse(errorResponse, body).success, JSON.stringify(body)).toBe(true);
  return [response.status, (body as { errorCode: string }).errorCode];
}

describe.each(all)('%s', (name) => {
  it('refuses another method', async () => {
    const taken = new Set<string>(
      all.filter(([, { path }]) => path === endpoints[name].path).map((entry) => entry[1].method),
    );
    const other = ['PUT', 'PATCH', 'POST', 'DELETE'].find((wrong) => !taken.has(wrong));
    expect(await codeOf(name, other ?? 'PUT')).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });
});

describe.each(withBody)('%s', (name, { method }) => {
  it.each([
    ['broken JSON', { body: '{"a":' }, [400, 'VALIDATION_FAILED']],
    ['no body', {}, [400, 'VALIDATION_FAILED']],
    ['an empty object', { body: '{}' }, [400, 'VALIDATION_FAILED']],
    ['a list', { body: '[]' }, [400, 'VALIDATION_FAILED']],
    [
      'another content type',
      { body: 'a=1', contentType: 'application/x-www-form-urlencoded' },
      [415, 'UNSUPPORTED_MEDIA_TYPE'],
    ],
    ['more than 256 KB', { body: `"${'x'.repeat(1 << 18)}"` }, [413, 'BODY_TOO_LARGE']],
  ])('refuses %s', async (_, init, expected) => {
    expect(await codeOf(name, method, init)).toEqual(expected);
  });
});

describe.each(withParams)('%s', (name, { method }) => {
  it('returns 404 for an unknown id and 400 for a malformed one', async () => {
    expect(await codeOf(name, method)).toEqual([404, 'NOT_FOUND']);
    const malformed = endpointPath(name, { id: 'not-an-id', pageID: 'not-an-id' });
    expect(await codeOf(name, method, { path: malformed })).toEqual([400, 'VALIDATION_FAILED']);
  });
});
