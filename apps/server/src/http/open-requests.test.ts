import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setErrorResponses } from './error-responses.ts';
import { limitOpenRequests, type OpenLimits } from './open-requests.ts';

let app: FastifyInstance;
/** Ends the running requests, in the order in which they started. */
let running: (() => void)[];
let countWaiting: () => number;

function start(limits: OpenLimits): void {
  running = [];
  app = Fastify({ forceCloseConnections: true });
  setErrorResponses(app);
  limitOpenRequests(app, limits, (count) => (countWaiting = count));
  const handle = () => new Promise((resolve) => void running.push(() => resolve('done')));
  app.get('/', handle);
  app.get('/large', { config: { isLarge: true } }, handle);
  app.get('/stored', { config: { transfers: 'out' } }, handle);
  app.get('/health', { config: { isHealthCheck: true } }, () => 'ok');
}

beforeEach(() => start({ perAddress: 2, total: 0 }));
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
});

const request = async (remoteAddress = '192.0.2.1', path = '/') =>
  (await app.inject({ path, remoteAddress })).statusCode;
async function isRunning(count: number): Promise<void> {
  await expect.poll(() => running.length).toBe(count);
}

it('runs two requests of an address at a time, lets two wait in order, and refuses the fifth', async () => {
  const accepted = [request(), request(), request(), request()];
  await isRunning(2);
  const fifth = await app.inject({ path: '/', remoteAddress: '192.0.2.1' });
  expect([fifth.statusCode, fifth.headers['retry-after']]).toEqual([429, '5']);
  running[0]?.();
  await isRunning(3);
  running[1]?.();
  await isRunning(4);
  for (const end of running) end();
  expect(await Promise.all(accepted)).toEqual([200, 200, 200, 200]);
});

it('counts each address for itself, and a network of IPv6 addresses as one', async () => {
  const accepted = [request('2001:db8::1'), request('2001:db8::2'), request('2001:db8::3'), request('2001:db8:0:1::')];
  await isRunning(3);
  running[0]?.();
  await isRunning(4);
  for (const end of running) end();
  expect(await Promise.all(accepted)).toEqual([200, 200, 200, 200]);
});

it('refuses a request that has waited for too long', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const first = [request(), request()];
  const waiting = request();
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await waiting).toBe(429);
  vi.useRealTimers();
  await isRunning(2);
  for (const end of running) end();
  expect(await Promise.all(first)).toEqual([200, 200]);
});

it('starts nothing for a client that left while it waited, and frees the place of one that left while it ran', async () => {
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const open = () => get(url, { agent: false }).on('error', () => undefined);
  const first = open();
  open();
  await isRunning(2);
  const third = open();
  await expect.poll(countWaiting).toBe(1);
  third.destroy();
  await expect.poll(countWaiting).toBe(0);
  const fourth = open();
  first.destroy();
  await isRunning(3);
  for (const end of running) end();
  const [response] = (await once(fourth, 'response')) as [IncomingMessage];
  expect([response.statusCode, running.length]).toEqual([200, 3]);
});

it('runs requests, transfers and large responses side by side: of the last, a sixteenth', async () => {
  await app.close();
  start({ perAddress: 16, total: 0 });
  const paths = Array.from({ length: 16 }, () => ['/', '/stored', '/large']).flat();
  const accepted = paths.map((path) => request('192.0.2.1', path));
  await isRunning(16 + 16 + 1);
  // A large response starts when the one before it has ended.
  for (let ended = 0; ended < paths.length; ended += 1) {
    await expect.poll(() => running.length).toBeGreaterThan(ended);
    running[ended]?.();
  }
  expect(await Promise.all(accepted)).toEqual(paths.map(() => 200));
});

it('lets the larger networks of IPv6 addresses run four and sixteen times as many as one address', async () => {
  const accepted: Promise<number>[] = [];
  /** The fourth group names the /64 in its network, its upper half the /56. */
  const open = (subnet: number) => accepted.push(request(`2001:db8:0:${subnet.toString(16)}::1`));
  for (let subnet = 0; subnet < 8; subnet += 1) open(subnet);
  await isRunning(8);
  expect(await request('2001:db8:0:8::1')).toBe(429);
  for (let home = 1; home < 4; home += 1) for (let subnet = 0; subnet < 8; subnet += 1) open(home * 256 + subnet);
  await isRunning(32);
  expect(await request('2001:db8:0:400::1')).toBe(429);
  expect(accepted).toHaveLength(32);
  void request('2001:db8:1::1');
  await isRunning(33);
  for (const end of running) end();
  expect(await Promise.all(accepted)).toEqual(accepted.map(() => 200));
});

it('refuses requests with 503 if all clients together have too many, and leaves places for others', async () => {
  await app.close();
  start({ perAddress: 64, total: 9 });
  const accepted = [request(), request(), request()];
  await isRunning(3);
  const fourth = await app.inject({ path: '/', remoteAddress: '192.0.2.1' });
  expect([fourth.statusCode, fourth.headers['retry-after']]).toEqual([503, '5']);
  // The next address gets half of the six places that are left, and a third one still gets a place.
  accepted.push(request('192.0.2.2'), request('192.0.2.2'));
  await isRunning(5);
  expect(await request('192.0.2.2')).toBe(503);
  for (let address = 3; address < 7; address += 1) accepted.push(request(`192.0.2.${address}`));
  await isRunning(9);
  expect(await request('192.0.2.9')).toBe(503);
  expect(await request('192.0.2.9', '/health')).toBe(200);
  for (const end of running) end();
  expect(await Promise.all(accepted)).toEqual(accepted.map(() => 200));
  const after = request('192.0.2.9');
  await isRunning(10);
  running[9]?.();
  expect(await after).toBe(200);
});

it('runs a thirty-second of the requests of all clients as large responses, and refuses more with 503', async () => {
  await app.close();
  start({ perAddress: 64, total: 64 });
  const accepted = [request('192.0.2.1', '/large'), request('192.0.2.2', '/large')];
  await isRunning(2);
  const third = request('192.0.2.3', '/large');
  // It is handled after the third one, so that one does not run.
  accepted.push(request('192.0.2.3'));
  await isRunning(3);
  expect(await third).toBe(503);
  for (const end of running) end();
  expect(await Promise.all(accepted)).toEqual([200, 200, 200]);
});
