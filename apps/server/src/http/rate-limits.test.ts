import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { limitRates, type Purpose, rateLimitFor, type RateLimits } from './limits.ts';

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
