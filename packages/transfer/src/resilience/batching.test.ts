import { type ApiBody, Failure, MAX_CALLS_PER_BATCH } from '@furoshiki/api';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Api } from '../ports.ts';
import { batchCalls } from './batching.ts';

type Calls = ApiBody<'batch'>['calls'];
interface Sent {
  name: string;
  calls: Calls | undefined;
  signal: AbortSignal | undefined;
  respond(response: unknown): void;
  fail(failure: unknown): void;
}

const DONE = { success: true };
let sent: Sent[];
let api: Api;
beforeEach(() => {
  sent = [];
  const call = (name: string, input: { body?: unknown }, signal?: AbortSignal) => {
    const { promise, resolve: respond, reject: fail } = Promise.withResolvers<unknown>();
    const calls = name === 'batch' ? (input.body as ApiBody<'batch'>).calls : undefined;
    sent.push({ name, calls, signal, respond, fail });
    return promise;
  };
  api = batchCalls({ call: call as Api['call'], callOnUnload: () => {} });
});

const remove = (id: string, signal?: AbortSignal) => {
  const removed = api.call('deleteFile', { params: { id } }, signal);
  removed.catch(() => {});
  return removed;
};
const settle = () => new Promise((resolve) => setImmediate(resolve));
const idsOf = ({ calls = [] }: Sent) => calls.map(({ params }) => params?.['id']);

describe('a call', () => {
  it('is made at once and as itself if no other is under way', async () => {
    const [removed, status] = [remove('a'), api.call('readiness', {})];
    expect(sent.map(({ name }) => name)).toEqual(['deleteFile', 'readiness']);
    for (const { respond } of sent) respond(DONE);
    expect([await removed, await status]).toEqual([DONE, DONE]);
  });

  it('waits for one of the same kind that is under way, and then goes with the others', async () => {
    const removed = ['a', 'b', 'c'].map((id) => remove(id));
    void api.call('takeGrant', { params: { id: 'g' } });
    expect(sent.map(({ name }) => name)).toEqual(['deleteFile', 'takeGrant']);
    sent[0]?.respond(DONE);
    await settle();
    expect([sent.length, idsOf(sent[2]!)]).toEqual([3, ['b', 'c']]);
    const refusal = { status: 429, retryAfterSeconds: 7, body: { errorCode: 'RATE_LIMITED' } };
    sent[2]?.respond({ responses: [{ status: 200, body: DONE }, refusal] });
    expect(await Promise.all(removed.slice(0, 2))).toEqual([DONE, DONE]);
    await expect(removed[2]).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retryAfterSeconds: 7 } });
    void remove('d');
    expect(sent).toHaveLength(4);
  });

  it('goes with as many others as the server accepts', async () => {
    const ids = Array.from({ length: MAX_CALLS_PER_BATCH + 3 }, (_, n) => String(n));
    for (const id of ids) void remove(id);
    sent[0]?.respond(DONE);
    await settle();
    expect(idsOf(sent[1]!)).toEqual(ids.slice(1, MAX_CALLS_PER_BATCH + 1));
    sent[1]?.fail(new Failure('NETWORK'));
    await settle();
    expect(idsOf(sent[2]!)).toEqual(ids.slice(MAX_CALLS_PER_BATCH + 1));
  });

  it('fails if the whole request fails, or if its own response is missing or invalid', async () => {
    const removed = ['a', 'b', 'c', 'd'].map((id) => remove(id));
    sent[0]?.fail(new Failure('TIMEOUT'));
    await settle();
    sent[1]?.respond({
      responses: [
        { status: 200, body: DONE },
        { status: 200, body: 'a page' },
      ],
    });
    await expect(removed[0]).rejects.toMatchObject({ code: 'TIMEOUT' });
    expect(await removed[1]).toEqual(DONE);
    for (const broken of removed.slice(2)) await expect(broken).rejects.toMatchObject({ code: 'API_ERROR' });
  });

  it('that is cancelled ends at once, and is not sent if it still waits', async () => {
    const abort = new AbortController();
    const [, waiting] = [remove('a'), remove('b', abort.signal), remove('c'), remove('d')];
    abort.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect(remove('e', abort.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
    sent[0]?.respond(DONE);
    await settle();
    expect(idsOf(sent[1]!)).toEqual(['c', 'd']);
  });

  it('ends the request only if all others in it are cancelled too', async () => {
    const aborts = [new AbortController(), new AbortController()];
    void remove('a');
    const cancelled = aborts.map(({ signal }, n) => remove(String(n), signal));
    sent[0]?.respond(DONE);
    await settle();
    aborts[0]?.abort();
    await expect(cancelled[0]).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(sent[1]?.signal?.aborted).toBe(false);
    aborts[1]?.abort();
    expect(sent[1]?.signal?.aborted).toBe(true);
  });
});

it('a signal of many calls has no listener left when they have ended', async () => {
  const { signal } = new AbortController();
  const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
  const all = ['a', 'b', 'c'].map((id) => remove(id, signal));
  sent[0]?.respond(DONE);
  await settle();
  sent[1]?.respond({ responses: [DONE, DONE].map((body) => ({ status: 200, body })) });
  await Promise.all(all);
  expect(added).toHaveBeenCalledTimes(5);
  const listeners = (spy: { mock: { calls: readonly unknown[][] } }) => spy.mock.calls.map(([, listener]) => listener);
  expect(new Set(listeners(removed))).toEqual(new Set(listeners(added)));
});
