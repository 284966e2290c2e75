import { afterEach, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';

let server: TestServer;
afterEach(() => server.close());

const file = { fileName: 'a', fileSize: 10, contentType: '', totalParts: 1, downloadLimit: 1, isEncrypted: true };
const init = { name: 'initUpload', body: file };

it('gives each call the response that it would have alone', async () => {
  server = await createTestServer();
  const client = new TestClient(server);
  const { id } = await client.send(new Uint8Array(10));
  const unknown = 'A'.repeat(22);
  const calls = [
    init,
    { name: 'takeGrant', params: { id } },
    { name: 'deleteFile', params: { id: unknown } },
    { name: 'initUpload', body: { ...file, fileSize: 0 } },
    { name: 'confirmDownload', params: { id: '../config' } },
    { name: 'completeUpload' },
  ];
  const { status, body } = await client.post('/batch/calls', { calls });
  expect(status).toBe(200);
  expect(body.responses).toMatchObject([
    { status: 200, body: { uploadId: expect.any(String), presignedUrl: expect.any(String) } },
    { status: 200, body: { presignedUrl: expect.any(String), fileName: 'report.pdf' } },
    { status: 404, body: { errorCode: 'NOT_FOUND', error: expect.any(String) } },
    { status: 400, body: { errorCode: 'FILE_EMPTY' } },
    { status: 404, body: { errorCode: 'NOT_FOUND' } },
    { status: 400, body: { errorCode: 'VALIDATION_FAILED' } },
  ]);
  const { body: page } = await client.post('/batch/calls', { calls: [{ name: 'confirmDownload', params: { id } }] });
  expect(page.responses).toEqual([{ status: 200, body: { success: true } }]);
});

it.each([
  ['no call', []],
  ['more than 16 calls', Array.from({ length: 17 }, () => init)],
  ['a call that is not once per file', [{ name: 'csrfToken' }]],
  ['a batch', [{ name: 'batch', body: { calls: [init] } }]],
])('refuses %s', async (_, calls) => {
  server = await createTestServer();
  expect((await new TestClient(server).post('/batch/calls', { calls })).status).toBe(400);
});

it('needs the security token', async () => {
  server = await createTestServer();
  const response = await server.fetch(`${server.url}/api/batch/calls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ calls: [init] }),
  });
  expect(response.status).toBe(403);
});

it('counts each call towards the same limit as calls that come alone', async () => {
  server = await createTestServer({ config: { UPLOADS_PER_HOUR: 5 } });
  const client = new TestClient(server);
  expect((await client.init()).status).toBe(200);
  const { body } = await client.post('/batch/calls', { calls: Array.from({ length: 6 }, () => init) });
  const statuses = body.responses.map(({ status }: { status: number }) => status);
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
  expect(body.responses[5].retryAfterSeconds).toBeGreaterThan(3000);
  expect((await client.init()).status).toBe(429);
});
