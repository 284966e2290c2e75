import { randomBytes } from 'node:crypto';
import { endpoints, errorResponse } from '@furoshiki/api';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod/mini';
import { randomBatch, randomRequest } from '../../testing/arbitrary-request.ts';
import { newTransfer, sendFormat2 } from '../../testing/format-2.ts';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer } from '../../testing/test-server.ts';

/** `npm run test:long` sets LONG_TESTS. */
const [REQUESTS, BATCHES] = process.env['LONG_TESTS'] === undefined ? [1000, 200] : [20_000, 5000];
/** Text that only internal errors contain. */
const INTERNALS = /sqlite|kysely|fastify|node:|node_modules|\.ts:|\bat \w+ \(|ENOENT|stack|furoshiki-test/iu;
/** The statuses of a condition that is not met have no body. */
const WITHOUT_BODY = new Set([304, 412]);
const isErrorBody = (text: string) => z.safeParse(errorResponse, JSON.parse(text)).success;

it(`responds to ${REQUESTS} random requests without a 500, a hang or internal details`, async () => {
  const server = await createTestServer();
  onTestFinished(() => server.close());
  const client = new TestClient(server);
  const file = await client.send(new Uint8Array(randomBytes(100)));
  const { body: open } = await client.init();
  await client.renewToken();
  const headers = { cookie: client.cookie, 'x-csrf-token': client.token };
  const { body: document } = await client.get('/openapi.json');
  const sealed = await sendFormat2(client, await newTransfer(), new Uint8Array(randomBytes(100)));
  const known = [
    file.id,
    file.pageID,
    sealed.id,
    open.fileKey,
    open.uploadId,
    'report.pdf',
    randomBytes(16).toString('base64'),
  ];
  const statuses = new Map<number, number>();

  await fc.assert(
    fc.asyncProperty(randomRequest(document, known), async ({ method, path, body, headers: extra }) => {
      const response = await server.fetch(server.url + path, {
        method,
        headers: { 'content-type': 'application/json', ...extra, ...headers },
        ...(body === undefined || method === 'GET' ? {} : { body }),
      });
      const text = await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      expect(response.status, text).toBeLessThan(500);
      if (response.ok) return;
      expect(text).not.toMatch(INTERNALS);
      const isRight = () => (extra['accept'] === 'text/html' ? text.startsWith('<!doctype html>') : isErrorBody(text));
      expect(WITHOUT_BODY.has(response.status) ? text === '' : isRight(), text).toBe(true);
    }),
    { numRuns: REQUESTS },
  );

  // The requests are random, but many of them pass validation.
  expect([...statuses.keys()].toSorted((a, b) => a - b)).toEqual(expect.arrayContaining([200, 400, 404, 405, 415]));
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 50);
  expect((await server.fetch(`${server.url}/healthz`)).status).toBe(200);
});

it(`responds to ${BATCHES} random batches with one response for each call, without a 500 or internal details`, async () => {
  const server = await createTestServer();
  onTestFinished(() => server.close());
  const client = new TestClient(server);
  const files = [
    await client.send(new Uint8Array(randomBytes(100))),
    await client.send(new Uint8Array(randomBytes(100))),
  ];
  const { body: open } = await client.init();
  await client.renewToken();
  const { body: document } = await client.get('/openapi.json');
  const known = [...files.flatMap(({ id, pageID }) => [id, pageID]), open.fileKey, open.uploadId, 'report.pdf'];
  const headers = { cookie: client.cookie, 'x-csrf-token': client.token, 'content-type': 'application/json' };
  const statuses = new Map<number, number>();

  await fc.assert(
    fc.asyncProperty(randomBatch(document, known), async (body) => {
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await server.fetch(`${server.url}/api/batch/calls`, sent);
      const text = await response.text();
      expect(text).not.toMatch(INTERNALS);
      expect([200, 400, 413]).toContain(response.status);
      expect(response.status === 200 || isErrorBody(text), text).toBe(true);
      if (response.status !== 200) return;
      const { responses } = z.parse(endpoints.batch.response, JSON.parse(text));
      expect(responses).toHaveLength((body as { calls: unknown[] }).calls.length);
      for (const { status, body: one } of responses) {
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        expect(status, text).toBeLessThan(500);
        expect(status < 400 || isErrorBody(JSON.stringify(one)), text).toBe(true);
      }
    }),
    { numRuns: BATCHES },
  );
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 400, 404]));
  expect((await server.fetch(`${server.url}/healthz`)).status).toBe(200);
});
