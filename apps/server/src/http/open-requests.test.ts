import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setErrorResponses } from './error-responses.ts';
import { limitOpenRequests } from './limits.ts';

let app: FastifyInstance;
/** Ends the running requests, in the order in which they started. */
let running: (() => void)[];

beforeEach(() => {
  running = [];
  app = Fastify({ forceCloseConnections: true });
  setErrorResponses(app);
  limitOpenRequests(app, 2);
  app.get('/', () => new Promise((resolve) => void running.push(() => resolve('done'))));
});
afterEach(async () => {
  vi.useRealTimers();
  await app.close();
});

const request = async (remoteAddress = '192.0.2.1') => (await app.inject({ path: '/', remoteAddress })).statusCode;
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
  const [first, , third] = [open(), open(), open()];
  await isRunning(2);
  const [socket] = third?.socket ? [third.socket] : await once(third ?? first, 'socket');
  third?.destroy();
  await once(socket as NodeJS.EventEmitter, 'close');
  const fourth = open();
  first?.destroy();
  await isRunning(3);
  for (const end of running) end();
  const [response] = (await once(fourth, 'response')) as [IncomingMessage];
  expect([response.statusCode, running.length]).toEqual([200, 3]);
});
