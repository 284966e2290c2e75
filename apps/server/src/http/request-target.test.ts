import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import { readConfig } from '../config/config.ts';

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer({ config: { BASE_PATH: '/our/files' }, hasPages: true });
});
afterAll(() => server.close());

describe('BASE_PATH', () => {
  it.each(['/files', '/our/files', '/a-b_c~1'])('may be %s', (BASE_PATH) => {
    expect(readConfig({ BASE_PATH }).BASE_PATH).toBe(BASE_PATH);
  });

  it.each(['files', '/', '/files/', '//files', '/a//b', '/../b', '/a.b', '/a b', '/a%20b', '/a?b', '/"><script>'])(
    'may not be %s',
    (BASE_PATH) => {
      expect(() => readConfig({ BASE_PATH })).toThrow(/^BASE_PATH must be a path such as \/files/u);
    },
  );
});

describe('below a base path', () => {
  it('an upload and its download work, and every URL in a response is below it', async () => {
    const client = new TestClient(server);
    const { body: init } = await client.init({ fileSize: 1000 });
    const signed = await client.post('/upload/presigned-url', {
      uploadId: init.uploadId,
      fileKey: init.fileKey,
      partNumber: 1,
    });
    expect(signed.body.presignedUrl).toContain(`${server.url}/store/`);
    const file = await client.send(new Uint8Array(1000));
    const { body: grant } = await client.get(`/download/${file.id}`);
    expect(grant.presignedUrl).toContain(`${server.url}/store/`);
    expect((await (await server.fetch(grant.presignedUrl)).arrayBuffer()).byteLength).toBe(1028);
    const { body: page } = await client.post('/batch/upload', { fileIDs: [file.id] });
    expect(page.downloadURL).toBe(`${server.url}/download/${page.pageID}`);
    expect((await server.fetch(page.downloadURL)).status).toBe(200);
  });

  it('the cookie is limited to it', async () => {
    const response = await server.fetch(`${server.url}/api/csrf-token`, { method: 'POST' });
    expect(response.headers.getSetCookie()[0]).toContain('; Path=/our/files;');
  });

  it.each(['', '/', '?a=b', '/en', '/en/download/x'])('the page "%s" has it as its base', async (path) => {
    const response = await server.fetch(server.url + path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<base href="/our/files/" />');
  });

  it.each([
    ['/healthz', 200],
    ['/assets/app.js', 200],
    ['/api/config', 200],
    ['/api/nowhere', 404],
    ['/nowhere', 404],
    ['/index.html', 404],
  ])('%s has status %i', async (path, status) => {
    expect((await server.fetch(server.url + path)).status).toBe(status);
  });
});

it.each([
  '/',
  '/en',
  '/our',
  '/our/filesystem',
  '/our/files.html',
  '/healthz',
  '/api/config',
  '/assets/app.js',
  '/files/our/files/en',
])('%s outside of the base path is not found', async (path) => {
  const response = await server.fetch(new URL(path, server.url).href);
  expect(response.status).toBe(404);
  expect(((await response.json()) as { errorCode: string }).errorCode).toBe('NOT_FOUND');
});
