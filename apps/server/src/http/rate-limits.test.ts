import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { setErrorResponses } from './error-responses.ts';
import { limitRates, limitRequests, type Purpose, rateLimitFor, type RateLimits } from './limits.ts';

const LIMITS: RateLimits = { read: 2, part: 2, token: 2, upload: 2, download: 2, delete: 2, contact: 2, report: 2 };

it('counts frequent calls in memory and the others in the shared database', async () => {
  let nowMs = 1000;
  const counted: string[] = [];
  const app = Fastify();
  const counting = { clock: { nowMs: () => nowMs }, hashAddress: (address: string) => address };
  await limitRates(app, LIMITS, counting, async (key, now, windowMs) => {
    counted.push(key);
    return { hits: counted.length, endsAtMs: now + windowMs };
  });
  for (const purpose of ['read', 'upload'] satisfies Purpose[])
    app.get(`/${purpose}`, { config: rateLimitFor(app, purpose, purpose) }, () => 'done');
  const allowed = async (path: string, remoteAddress = '192.0.2.1') =>
    (await app.inject({ path, remoteAddress })).statusCode === 200;
  expect([await allowed('/read'), await allowed('/read'), await allowed('/read')]).toEqual([true, true, false]);
  expect(await allowed('/read', '192.0.2.2')).toBe(true);
  expect(counted).toEqual([]);
  expect(await allowed('/upload')).toBe(true);
  expect(counted).toEqual(['192.0.2.1upload']);
  nowMs += 3_600_000;
  expect(await allowed('/read')).toBe(true);
  await app.close();
});

const counting = { clock: { nowMs: () => 1000 }, hashAddress: (address: string) => address };

/** Sends requests until one is refused, each from another address, and returns how many were allowed. */
async function countAllowed(path: string, addressOf: (sent: number) => string): Promise<number> {
  const app = Fastify();
  limitRequests(app, 50, counting.clock);
  await limitRates(app, LIMITS, counting, undefined);
  app.get('/contact', { config: rateLimitFor(app, 'contact', 'contact') }, () => 'done');
  app.get('/read', { config: rateLimitFor(app, 'read', 'read') }, () => 'done');
  app.get('/unlimited', () => 'done');
  app.get('/health', { config: { isHealthCheck: true } }, () => 'done');
  for (let sent = 0; sent < 100; sent += 1) {
    const { statusCode } = await app.inject({ path, remoteAddress: addressOf(sent) });
    if (statusCode !== 200) return sent;
  }
  await app.close();
  return Number.POSITIVE_INFINITY;
}

it.each([
  ['one address: its limit', '/read', () => '192.0.2.1', 2],
  ['a /64: the same', '/read', (sent: number) => `2001:db8::${sent}`, 2],
  ['a /56: four times', '/read', (sent: number) => `2001:db8:0:${(sent % 256).toString(16)}::1`, 8],
  ['a /48: sixteen times', '/read', (sent: number) => `2001:db8:0:${(sent * 256).toString(16)}::1`, 32],
  ['other networks: no limit', '/read', (sent: number) => `2001:db8:${sent}::1`, Number.POSITIVE_INFINITY],
  ['messages of everyone: ten times', '/contact', (sent: number) => `192.0.2.${sent}`, 20],
  ['a route without a limit of its own: all requests of an address', '/unlimited', () => '192.0.2.1', 50],
  ['a health check: none', '/health', () => '192.0.2.1', Number.POSITIVE_INFINITY],
])('counts %s', async (_name, path, addressOf, allowed) => {
  expect(await countAllowed(path, addressOf)).toBe(allowed);
});

it('counts larger networks also if the addresses are counted in the shared database', async () => {
  const app = Fastify();
  setErrorResponses(app);
  await limitRates(app, LIMITS, counting, async (_key, now, windowMs) => ({ hits: 1, endsAtMs: now + windowMs }));
  app.get('/upload', { config: rateLimitFor(app, 'upload', 'upload') }, () => 'done');
  const statuses = [];
  for (let sent = 0; sent < 9; sent += 1)
    statuses.push((await app.inject({ path: '/upload', remoteAddress: `2001:db8:0:${sent}::1` })).statusCode);
  expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 429]);
  await app.close();
});
