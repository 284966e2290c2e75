import { Failure } from '@furoshiki/api';
import { createUploadEngine, type ResumeRecord, type RunUpload } from '@furoshiki/transfer';
import { describe, expect, it, vi } from 'vitest';
import { createFakeClock } from '../../../../packages/transfer/testing/fake-clock.ts';
import { createLazyTransfers } from './lazy-transfers.ts';
import type { Transfers } from './transfers.ts';

const OPTIONS = { keyText: '', downloadLimit: 1, retentionDays: 1, hidesNames: false, note: {} } as const;
const CHECKPOINT = { completed: [], open: [] };
const file = { name: 'a.txt', size: 5, contentType: '', source: new File(['hello'], 'a.txt') };
const request = { files: [file], key: 'unencrypted', downloadLimit: 1, retentionDays: 1 } as const;

function setUp() {
  const loading = Promise.withResolvers<Transfers>();
  const record = {
    isStored: () => true,
    write: vi.fn<ResumeRecord['write']>(),
    remove: vi.fn<ResumeRecord['remove']>(),
  };
  const call = vi.fn<() => Promise<unknown>>().mockResolvedValue({ status: 'ready' });
  const runUpload = vi.fn<RunUpload<File>>(async (_request, _onServer, { dispatch }) =>
    dispatch({ type: 'fail', failure: new Failure('FORBIDDEN') }),
  );
  const transfers = { api: { call }, runUpload, resumeRecords: { begin: () => record } };
  const load = vi.fn<() => Promise<Transfers>>(() => loading.promise);
  const lazy = createLazyTransfers(load);
  return {
    lazy,
    load,
    record,
    call,
    runUpload,
    engine: createUploadEngine<File>({ api: lazy.api, clock: createFakeClock() }, lazy.runUpload),
    arrive: () => loading.resolve(transfers as unknown as Transfers),
    fail: () => loading.reject(new TypeError('Failed to fetch dynamically imported module')),
  };
}

describe('while the code is loading', () => {
  it('a call waits', async () => {
    const { lazy, call, arrive } = setUp();
    const calling = lazy.api.call('readiness', {});
    expect(call).not.toHaveBeenCalled();
    arrive();
    expect(await calling).toEqual({ status: 'ready' });
  });

  it('an upload shows that it runs, and starts when the code is there', async () => {
    const { engine, runUpload, arrive } = setUp();
    const ended = engine.start(request);
    expect(engine.getState()).toMatchObject({ phase: 'uploading', files: [{ name: 'a.txt' }] });
    expect(() => engine.start(request)).toThrow('An upload is running');
    arrive();
    await ended;
    expect(runUpload).toHaveBeenCalledTimes(1);
    expect(engine.getState()).toMatchObject({ phase: 'failed', failure: { code: 'FORBIDDEN' } });
  });

  it('a record keeps what is written', async () => {
    const { lazy, record, arrive } = setUp();
    const lazyRecord = lazy.resumeRecords.begin(OPTIONS, []);
    lazyRecord.write(CHECKPOINT);
    expect(lazyRecord.isStored()).toBe(false);
    arrive();
    await expect.poll(() => record.write.mock.calls).toEqual([[CHECKPOINT]]);
    expect(lazyRecord.isStored()).toBe(true);
    lazyRecord.remove();
    await expect.poll(() => record.remove.mock.calls.length).toBe(1);
  });
});

it('a failure to load is a network failure, and the next use loads again', async () => {
  const { lazy, engine, load, fail } = setUp();
  lazy.resumeRecords.begin(OPTIONS, []).write(CHECKPOINT);
  fail();
  await expect(lazy.api.call('readiness', {})).rejects.toMatchObject({ code: 'NETWORK' });
  await engine.start(request);
  expect(engine.getState()).toMatchObject({ phase: 'failed', failure: { code: 'NETWORK' }, fileName: 'a.txt' });
  expect(load).toHaveBeenCalledTimes(3);
});
