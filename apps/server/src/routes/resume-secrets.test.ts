import { expect, it } from 'vitest';
import { TestClient } from '../../testing/test-client.ts';
import { freshServerPerTest } from '../../testing/fresh-server.ts';

const PATH = '/upload/resume-secret';
const HOUR_MS = 3_600_000;

const fresh = freshServerPerTest();

it('returns a resume secret to the browser that created it, until that drops it', async () => {
  const { body } = await fresh.client.post(PATH);
  const other = (await fresh.client.post(PATH)).body;
  expect(Buffer.from(body.secret, 'base64')).toHaveLength(32);
  expect(new Set([body.id, body.secret, other.id, other.secret]).size).toBe(4);
  expect((await fresh.client.get(`${PATH}/${body.id}`)).body).toEqual({ secret: body.secret });
  expect((await fresh.client.delete(`${PATH}/${body.id}`)).body).toEqual({ success: true });
  expect((await fresh.client.get(`${PATH}/${body.id}`)).status).toBe(404);
  expect((await fresh.client.get(`${PATH}/${other.id}`)).body).toEqual({ secret: other.secret });
});

it('responds alike to an unknown id, another cookie, and an expired or dropped secret', async () => {
  const stranger = new TestClient(fresh.server);
  const { body: mine } = await fresh.client.post(PATH);
  const { body: dropped } = await fresh.client.post(PATH);
  await fresh.client.delete(`${PATH}/${dropped.id}`);
  const unknown = await fresh.client.get(`${PATH}/${'A'.repeat(22)}`);
  expect(unknown.status).toBe(404);
  const responses = [await stranger.get(`${PATH}/${mine.id}`), await fresh.client.get(`${PATH}/${dropped.id}`)];
  expect((await stranger.delete(`${PATH}/${mine.id}`)).status).toBe(404);
  expect((await fresh.client.get(`${PATH}/${mine.id}`)).status).toBe(200);
  fresh.server.wait(24 * HOUR_MS);
  responses.push(await fresh.client.get(`${PATH}/${mine.id}`));
  for (const { status, body } of responses) expect([status, body]).toEqual([404, unknown.body]);
});

it('keeps a secret for a day after it was last read, and for three days in total', async () => {
  const { body } = await fresh.client.post(PATH);
  const statuses = [];
  for (let hours = 0; hours < 80; hours += 20) {
    fresh.server.wait(20 * HOUR_MS);
    statuses.push((await fresh.client.get(`${PATH}/${body.id}`)).status);
  }
  expect(statuses).toEqual([200, 200, 200, 404]);
});

it('renews the cookie that a secret is bound to, and lets nothing cache the secret', async () => {
  const created = await fresh.client.post(PATH);
  const read = await fresh.client.get(`${PATH}/${created.body.id}`);
  for (const { headers } of [created, read]) {
    expect(headers.getSetCookie()).toEqual([expect.stringContaining(fresh.client.cookie)]);
    expect(headers.get('cache-control')).toBe('no-store');
  }
});

it('keeps at most 1,000 secrets for one address, whatever the cookies', async () => {
  const { metadata } = fresh.server.context;
  const limits: number[] = [];
  // Storing a thousand would take seconds, so the last two places are enough.
  fresh.server.context.metadata = {
    ...metadata,
    addResumeSecret(secret, maxOfAddress) {
      limits.push(maxOfAddress);
      return metadata.addResumeSecret(secret, maxOfAddress - 998);
    },
  };
  const { body } = await fresh.client.post(PATH);
  const other = new TestClient(fresh.server);
  expect((await other.post(PATH)).status).toBe(200);
  const refused = await new TestClient(fresh.server).post(PATH);
  expect([refused.status, refused.body.errorCode]).toEqual([429, 'RATE_LIMITED']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
  await fresh.client.delete(`${PATH}/${body.id}`);
  expect((await other.post(PATH)).status).toBe(200);
  expect(new Set(limits)).toEqual(new Set([1000]));
});
