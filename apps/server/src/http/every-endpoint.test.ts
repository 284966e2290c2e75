import { type Endpoint, type EndpointName, endpointPath, endpoints, errorResponse } from '@furoshiki/api';
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
const withId = (id: string) => ({ id, pageID: id, requestID: id });
const UNKNOWN = withId('A'.repeat(22));

interface RequestInit {
  path?: string;
  body?: string;
  contentType?: string;
}

async function codeOf(name: EndpointName, method: string, init?: RequestInit) {
  const { status, errorCode } = await bodyOf(name, method, init);
  return [status, errorCode];
}

/** Returns the status and the error body. */
async function bodyOf(name: EndpointName, method: string, init: RequestInit = {}) {
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
  return { status: response.status, ...(body as { errorCode: string }) };
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

const NO_IDS = ['x', 'not-an-id', '../config', '%00', ' ', '名前', 'A'.repeat(21), 'A'.repeat(23), 'A'.repeat(300)];

// Confirming is idempotent: an unknown id may be that of a file which the first confirmation has deleted.
describe.each(withParams.filter(([name]) => name !== 'confirmDownload'))('%s', (name, { method }) => {
  it.each(NO_IDS)('responds to %j as to an unknown id', async (id) => {
    expect(await bodyOf(name, method, { path: endpointPath(name, withId(id)) })).toEqual(await bodyOf(name, method));
    expect(await codeOf(name, method)).toEqual([404, 'NOT_FOUND']);
  });
});

const ref = { uploadId: 'A', fileKey: UNKNOWN.id };
const etag = '"e"';
/** Every body with ids. */
const BODIES_WITH_IDS = {
  presignPart: { ...ref, partNumber: 1 },
  completePart: { ...ref, partNumber: 1, etag },
  uploadStatus: ref,
  completeUpload: { ...ref, metadata: { chunkSize: 1 }, parts: [{ PartNumber: 1, ETag: etag }] },
  cancelUpload: ref,
  groupFiles: { fileIDs: [UNKNOWN.id] },
  report: { pageID: UNKNOWN.id, reason: 'x' },
} satisfies Partial<Record<EndpointName, object>>;
const IDS_IN_BODY = new Set(['uploadId', 'fileKey', 'fileIDs', 'pageID']);

describe.each(Object.entries(BODIES_WITH_IDS) as [EndpointName, Record<string, unknown>][])('%s', (name, unknown) => {
  it.each([...NO_IDS, ''])('responds to %j in its body as to an unknown id', async (id) => {
    const expected = await bodyOf(name, 'POST', { body: JSON.stringify(unknown) });
    expect(expected).toMatchObject({ status: 404, errorCode: 'NOT_FOUND' });
    for (const field of Object.keys(unknown).filter((key) => IDS_IN_BODY.has(key))) {
      const malformed = { ...unknown, [field]: field === 'fileIDs' ? [UNKNOWN.id, id] : id };
      expect(await bodyOf(name, 'POST', { body: JSON.stringify(malformed) })).toEqual(expected);
    }
  });

  it('refuses an id that is not a text, and any other mistake beside a malformed id', async () => {
    for (const [field, value] of Object.entries(unknown)) {
      const wrongType = { ...unknown, [field]: typeof value === 'number' ? 'x' : 5 };
      expect(await codeOf(name, 'POST', { body: JSON.stringify(wrongType) })).toEqual([400, 'VALIDATION_FAILED']);
    }
  });
});

it('knows every body with ids', () => {
  const named = withBody.filter(([, { body }]) => {
    const fields = Object.keys((body as unknown as { shape: Record<string, unknown> }).shape);
    return fields.some((field) => IDS_IN_BODY.has(field));
  });
  expect(named.map(([name]) => name).toSorted()).toEqual(Object.keys(BODIES_WITH_IDS).toSorted());
});

it('responds to a malformed id as to an unknown one where stored bytes are sent', async () => {
  const pathOf = (id: string) => ({ path: `/api/download/file/${encodeURIComponent(id)}` });
  const expected = await bodyOf('takeGrant', 'GET', pathOf(UNKNOWN.id));
  expect(expected).toMatchObject({ status: 404, errorCode: 'NOT_FOUND' });
  for (const id of NO_IDS) expect(await bodyOf('takeGrant', 'GET', pathOf(id))).toEqual(expected);
});
