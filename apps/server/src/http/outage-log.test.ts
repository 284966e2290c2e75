import { text } from 'node:stream/consumers';
import { beforeEach, expect, it } from 'vitest';
import { full, type StoreFailure, unavailable } from '../ports/store-failures.ts';
import { logOutages } from './outage-log.ts';

let nowMs = 0;
let failure: Error | undefined;
let lines: unknown[][];
beforeEach(() => {
  nowMs = 0;
  failure = undefined;
  lines = [];
});

const logger = {
  error: (...given: unknown[]) => void lines.push(['error', ...given]),
  warn: (...given: unknown[]) => void lines.push(['warn', ...given]),
};
const attempt = async () => {
  if (failure) throw failure;
};
const makeStore = () =>
  logOutages(
    'storage',
    {
      ping: attempt,
      write: attempt,
      async *read() {
        await attempt();
        yield 'block';
      },
    },
    () => logger as never,
    () => nowMs,
  );

async function failTimes(store: ReturnType<typeof makeStore>, times: number, thrown: StoreFailure): Promise<void> {
  failure = thrown;
  for (let n = 0; n < times; n += 1) await expect(store.write()).rejects.toBe(thrown);
  failure = undefined;
}

it('logs one line for many failed calls, another one a minute later, and one when it works again', async () => {
  const store = makeStore();
  await failTimes(store, 500, unavailable('ECONNREFUSED', new Error('at 10.0.0.1')));
  nowMs = 60_000;
  await failTimes(store, 500, unavailable('ETIMEDOUT'));
  nowMs = 75_000;
  await store.write();
  await store.write();
  expect(lines).toEqual([
    ['error', { dependency: 'storage', code: 'ECONNREFUSED', failedCalls: 1 }, 'the storage cannot be used'],
    ['error', { dependency: 'storage', code: 'ETIMEDOUT', failedCalls: 501 }, 'the storage cannot be used'],
    ['warn', { dependency: 'storage', failedCalls: 1000, seconds: 60 }, 'the storage works again'],
  ]);
});

it('logs a line when the cause changes, and no flood if causes alternate', async () => {
  const store = makeStore();
  const codes = () => lines.map(([, line]) => (line as { code: string }).code);
  for (let n = 0; n < 100; n += 1) {
    await failTimes(store, 1, unavailable('ECONNREFUSED'));
    await failTimes(store, 1, unavailable('25006'));
  }
  expect(codes()).toEqual(['ECONNREFUSED', '25006']);
  for (let n = 0; n < 100; n += 1) await failTimes(store, 1, unavailable(`code ${n}`));
  expect(codes()).toHaveLength(5);
  nowMs = 60_000;
  await failTimes(store, 1, unavailable('25006'));
  await failTimes(store, 1, unavailable('ECONNREFUSED'));
  expect(codes().slice(5)).toEqual(['25006', 'ECONNREFUSED']);
});

it('counts calls that fail now and then as one outage', async () => {
  const store = makeStore();
  for (let n = 0; n < 100; n += 1) {
    await failTimes(store, 1, unavailable('SlowDown'));
    await store.write();
    nowMs += 500;
  }
  expect(lines).toHaveLength(1);
});

it('says that a disk is full, and does not take a success of another call for its end', async () => {
  const store = makeStore();
  await failTimes(store, 1, full('ENOSPC'));
  nowMs = 60_000;
  await store.ping();
  expect(lines).toEqual([['error', { dependency: 'storage', code: 'ENOSPC', failedCalls: 1 }, 'the storage is full']]);
  await store.write();
  expect(lines).toHaveLength(2);
});

it('watches streams too, and ignores failures that are not the store’s', async () => {
  const store = makeStore();
  failure = new Error('a bug');
  await expect(store.write()).rejects.toBe(failure);
  await expect(text(store.read())).rejects.toBe(failure);
  expect(lines).toEqual([]);
  failure = unavailable('EIO');
  await expect(text(store.read())).rejects.toBe(failure);
  expect(lines).toHaveLength(1);
  failure = undefined;
  nowMs = 60_000;
  expect(await text(store.read())).toBe('block');
  expect(lines).toHaveLength(2);
});
