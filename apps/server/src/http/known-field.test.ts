import { afterAll, beforeAll, expect, it } from 'vitest';
import { INIT, TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

const ID = 'A'.repeat(22);
const ref = { uploadId: 'A', fileKey: ID };
const call = (change: object) => ({ name: 'deleteFile', ...change });
let server: TestServer;
let client: TestClient;
beforeAll(async () => {
  server = await createTestServer();
  client = new TestClient(server);
});
afterAll(() => server.close());

it.each<[string, unknown, string]>([
  ['/upload/presigned-url', { ...ref, partNumber: 'SECRET' }, 'body.partNumber'],
  ['/upload/presigned-url', { ...ref, fileKey: 'no-id', partNumber: 0 }, 'body.partNumber'],
  ['/upload/presigned-url', [], 'body'],
  ['/upload/presigned-url', undefined, 'body'],
  ['/upload/init', { ...INIT, fileName: 5, SECRET: 1 }, 'body.fileName'],
  ['/upload/complete', { ...ref, metadata: 5, parts: [] }, 'body.metadata'],
  ['/upload/complete', { ...ref, metadata: { chunkSize: 'SECRET' }, parts: [] }, 'body.metadata'],
  [
    '/upload/complete',
    { ...ref, metadata: { chunkSize: 1, salt: 'SECRET' }, parts: [{ PartNumber: 1, ETag: 'e' }] },
    'body.metadata.salt',
  ],
  [
    '/upload/complete',
    {
      ...ref,
      metadata: { chunkSize: 1 },
      parts: [
        { PartNumber: 1, ETag: 'e' },
        { PartNumber: 0, ETag: 'e' },
      ],
    },
    'body.parts.1.PartNumber',
  ],
  ['/batch/upload', { fileIDs: [] }, 'body.fileIDs'],
  ['/batch/upload', { fileIDs: [ID, ID] }, 'body.fileIDs'],
  ['/batch/upload', { fileIDs: [ID, 5] }, 'body.fileIDs.1'],
  ['/batch/calls', { calls: [call({}), call({ name: 'SECRET' })] }, 'body.calls.1.name'],
  ['/batch/calls', { calls: [call({ params: { SECRET: 5 } })] }, 'body.calls.0.params'],
  ['/batch/calls', { calls: [call({ headers: { SECRET: { deeper: 5 } } })] }, 'body.calls.0.headers'],
])('%s with %j is refused because of %s', async (path, body, field) => {
  const reply = await client.post(path, body);
  expect(reply.body).toMatchObject({ errorCode: 'VALIDATION_FAILED', field });
  expect(JSON.stringify(reply.body)).not.toContain('SECRET');
});

it('names a field of the query, and of an upload that exists', async () => {
  expect((await client.get(`/download/${ID}?demo=SECRET`)).body).toMatchObject({ field: 'query.demo' });
  const { body: upload } = await client.init();
  const part = { uploadId: upload.uploadId, fileKey: upload.fileKey, partNumber: 2 };
  expect((await client.post('/upload/presigned-url', part)).body).toMatchObject({ field: 'body.partNumber' });
});

it('names the field of each call of a batch', async () => {
  const calls = [
    { name: 'initUpload', body: { ...INIT, downloadLimit: 0 } },
    { name: 'takeGrant', params: { id: ID }, headers: { 'x-access-token': 'x' } },
    { name: 'deleteFile' },
  ];
  const { body } = await client.post('/batch/calls', { calls });
  expect((body.responses as { body: { field?: string } }[]).map((response) => response.body.field)).toEqual([
    'body.downloadLimit',
    undefined,
    'params',
  ]);
});
