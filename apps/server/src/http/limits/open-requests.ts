// Limits how many requests of one client address run at the same time. Further ones wait, so that people who share an
// address are slowed down and not refused.
import { Failure } from '@furoshiki/api';
import type { FastifyInstance } from 'fastify';
import { addressOf } from '../client.ts';

/** Less than the 30 s after which a client gives up a request without progress. */
const MAX_WAIT_MS = 20_000;
const RETRY_AFTER_SECONDS = 5;

interface OpenRequests {
  running: number;
  /** In the order of arrival. Calling one starts its request. */
  waiting: Set<() => void>;
}

/**
 * Applies to all routes of `app`. As many requests may wait as may run; further ones are refused. 0 is no limit. `watch`
 * gets a function that counts the waiting requests.
 */
export function limitOpenRequests(
  app: FastifyInstance,
  maxPerAddress: number,
  watch?: (length: () => number) => void,
): void {
  if (maxPerAddress === 0) return;
  const openByAddress = new Map<string, OpenRequests>();
  watch?.(() => [...openByAddress.values()].reduce((sum, { waiting }) => sum + waiting.size, 0));
  app.addHook('onRequest', (request, reply, done) => {
    const address = addressOf(request);
    const open = openByAddress.get(address) ?? { running: 0, waiting: new Set() };
    openByAddress.set(address, open);
    let isRunning = false;
    let timer: NodeJS.Timeout | undefined;
    function start(): void {
      clearTimeout(timer);
      open.waiting.delete(start);
      open.running += 1;
      isRunning = true;
      done();
    }
    function refuse(): void {
      open.waiting.delete(start);
      done(new Failure('RATE_LIMITED', { retryAfterSeconds: RETRY_AFTER_SECONDS }));
    }
    reply.raw.once('close', () => {
      clearTimeout(timer);
      open.waiting.delete(start);
      if (!isRunning) return;
      open.running -= 1;
      const [next] = open.waiting;
      next?.();
      if (open.running === 0) openByAddress.delete(address);
    });
    if (open.running < maxPerAddress) start();
    else if (open.waiting.size >= maxPerAddress) refuse();
    else {
      open.waiting.add(start);
      timer = setTimeout(refuse, MAX_WAIT_MS);
    }
  });
}
