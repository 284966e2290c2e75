import { Failure } from '@furoshiki/api';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createTabs, files, open, options } from '../../../testing/resume-tabs.ts';
import { decryptContent, deriveRecordKey, newLocalSecret } from './record-encryption.ts';

const { signal } = new AbortController();
let tabs: ReturnType<typeof createTabs>;
beforeEach(() => {
  tabs = createTabs();
});

describe('an upload whose tab was closed', () => {
  it('is found with everything that is needed to continue it', async () => {
    await tabs.interrupt();
    expect(await tabs.findOne()).toMatchObject({
      ...options,
      checkpoint: { pageSalt: 'salt', completed: [], open: [open] },
      files: [
        { name: 'trip/a.txt', size: 5 },
        { name: 'trip/b.txt', size: 6 },
      ],
    });
  });

  it('is stored encrypted: no key, name or id can be read', async () => {
    await tabs.interrupt();
    const [stored] = tabs.records.values();
    const text = new TextDecoder('latin1').decode(stored?.encrypted) + JSON.stringify(stored);
    for (const secret of [options.keyText, 'winner', 'a.txt', '"u"', 'uploadId']) expect(text).not.toContain(secret);
  });

  it('cannot be decrypted with what the browser stores, only with the secret of the server', async () => {
    await tabs.interrupt();
    const [stored] = tabs.records.values();
    const [resumeSecret] = tabs.secretTexts.values();
    if (!stored || resumeSecret === undefined) throw new Error('nothing was stored');
    // All keys that IndexedDB has. None of them can decrypt: they only derive.
    const keys = Object.values(stored).filter((value) => value instanceof CryptoKey);
    expect(keys.map(({ usages, extractable }) => [usages, extractable])).toEqual([[['deriveKey'], false]]);
    const withSecret = async (text: string) =>
      decryptContent<object>(await deriveRecordKey(stored.localSecret, text), stored);
    expect(await withSecret('')).toBeUndefined();
    expect(await withSecret((await tabs.secrets.create()).secret)).toBeUndefined();
    expect(await withSecret(resumeSecret)).toMatchObject(options);
    const otherHalf = await deriveRecordKey(await newLocalSecret(), resumeSecret);
    expect(await decryptContent(otherHalf, stored)).toBeUndefined();
  });

  it('is removed if the server has dropped its secret, and kept if the server cannot be asked', async () => {
    await tabs.interrupt();
    const { read } = tabs.secrets;
    tabs.secrets.read = () => Promise.reject(new Failure('RATE_LIMITED'));
    expect([await tabs.openTab().resumeRecords.findInterrupted(signal), tabs.records.size]).toEqual([[], 1]);
    tabs.secrets.read = read;
    expect(await tabs.findOne()).toMatchObject(options);
    tabs.secretTexts.clear();
    expect([await tabs.openTab().resumeRecords.findInterrupted(signal), tabs.records.size]).toEqual([[], 0]);
  });

  it('is forgotten if an earlier version has begun it, because that one sealed another format', async () => {
    await tabs.interrupt({ completed: [], open: [open] });
    const { resumeRecords } = tabs.openTab();
    expect(await resumeRecords.findInterrupted(new AbortController().signal)).toEqual([]);
    expect([tabs.records.size, tabs.secretTexts.size]).toEqual([0, 0]);
  });

  it('is encrypted under a new IV each time and keeps the last checkpoint', async () => {
    const record = tabs.openTab().resumeRecords.begin(options, files);
    const ivs = new Set<string>();
    for (const completed of [[], [{ fileIndex: 0, downloadId: 'd', pageId: 'p' }]]) {
      record.write({ pageSalt: 'salt', completed, open: [] });
      const writes = () => {
        for (const { iv } of tabs.records.values()) ivs.add(String(iv));
        return ivs.size;
      };
      await expect.poll(writes).toBe(completed.length + 1);
    }
    tabs.locks.clear();
    expect((await tabs.findOne()).checkpoint.completed).toHaveLength(1);
  });

  it('is not found by another tab while its own tab is open', async () => {
    const { resumeRecords } = tabs.openTab();
    const record = resumeRecords.begin(options, files);
    record.write({ completed: [], open: [] });
    await expect.poll(() => tabs.records.size).toBe(1);
    expect(await tabs.openTab().resumeRecords.findInterrupted(signal)).toEqual([]);
  });

  it('is claimed by one tab only, which continues its record', async () => {
    await tabs.interrupt();
    const [first, second] = [await tabs.findOne(), await tabs.findOne()];
    const claimed = await first.claim();
    expect(claimed?.resumeRecord.isStored()).toBe(true);
    expect(await second.claim()).toBeUndefined();
    claimed?.resumeRecord.write({
      pageSalt: 'salt',
      completed: [{ fileIndex: 0, downloadId: 'd', pageId: 'p' }],
      open: [],
    });
    await expect.poll(() => tabs.records.size).toBe(1);
    tabs.locks.clear();
    await expect.poll(async () => (await tabs.findOne()).checkpoint.completed).toHaveLength(1);
  });

  it('continues from the checkpoint that another tab has written in the meantime', async () => {
    await tabs.interrupt();
    const stale = await tabs.findOne();
    const claimed = await (await tabs.findOne()).claim();
    tabs.records.clear();
    claimed?.resumeRecord.write({
      pageSalt: 'salt',
      completed: [{ fileIndex: 0, downloadId: 'd', pageId: 'p' }],
      open: [],
    });
    await expect.poll(() => tabs.records.size).toBe(1);
    tabs.locks.clear();
    expect(await stale.claim()).toMatchObject({ checkpoint: { completed: [{ downloadId: 'd' }] } });
  });

  it.each(['claim', 'discard'] as const)(
    'refuses %s while another tab has it, and after it ended there',
    async (act) => {
      await tabs.interrupt();
      const stale = await tabs.findOne();
      const claimed = await (await tabs.findOne()).claim();
      expect([await stale[act](), tabs.records.size, tabs.locks.size]).toEqual([undefined, 1, 1]);
      claimed?.resumeRecord.remove();
      await expect.poll(() => tabs.locks.size).toBe(0);
      expect([await stale[act](), tabs.locks.size]).toEqual([undefined, 0]);
    },
  );

  it('is not stored after remove(), even during a write', async () => {
    const record = tabs.openTab().resumeRecords.begin(options, files);
    record.write({ completed: [], open: [] });
    await expect.poll(() => tabs.locks.size).toBe(1);
    record.remove();
    record.write({ completed: [], open: [] });
    await expect.poll(() => tabs.locks.size).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect([tabs.records.size, record.isStored()]).toEqual([0, false]);
  });

  it('leaves no secret on the server when it ends, even if it ends before its first checkpoint', async () => {
    const record = tabs.openTab().resumeRecords.begin(options, files);
    await expect.poll(() => tabs.secretTexts.size).toBe(1);
    record.remove();
    await expect.poll(() => [tabs.secretTexts.size, tabs.locks.size]).toEqual([0, 0]);
    await tabs.interrupt();
    expect(tabs.secretTexts.size).toBe(1);
    (await (await tabs.findOne()).claim())?.resumeRecord.remove();
    await expect.poll(() => [tabs.secretTexts.size, tabs.records.size, tabs.locks.size]).toEqual([0, 0, 0]);
  });

  it('keeps the server from dropping its secret while it runs longer than an hour', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const renewed = vi.spyOn(tabs.secrets, 'read');
    const record = tabs.openTab().resumeRecords.begin(options, files);
    const counts = [];
    for (let halfHours = 1; halfHours <= 5; halfHours += 1) {
      vi.setSystemTime(Date.now() + 1_800_000);
      const savedAtMs = Date.now();
      record.write({ completed: [], open: [] });
      // The clock goes on while it polls.
      await expect.poll(() => [...tabs.records.values()][0]?.savedAtMs).toBeGreaterThanOrEqual(savedAtMs);
      await new Promise((resolve) => setImmediate(resolve));
      counts.push(renewed.mock.calls.length);
    }
    vi.useRealTimers();
    expect(counts).toEqual([0, 1, 1, 2, 2]);
  });

  it('is deleted when discarded, after a day, and if its record is damaged', async () => {
    await tabs.interrupt();
    expect(await (await tabs.findOne()).discard()).toEqual({ pageSalt: 'salt', completed: [], open: [open] });
    const left = () => [tabs.records.size, tabs.secretTexts.size, tabs.locks.size];
    await expect.poll(left).toEqual([0, 0, 0]);
    for (const damage of [{ savedAtMs: Date.now() - 24 * 3_600_000 }, { encrypted: new ArrayBuffer(40) }]) {
      await tabs.interrupt();
      for (const [id, record] of tabs.records) tabs.records.set(id, { ...record, ...damage });
      expect(await tabs.openTab().resumeRecords.findInterrupted(signal)).toEqual([]);
      expect(left()).toEqual([0, 0, 0]);
    }
  });

  it('is deleted after a day by the next start on any screen, unless its tab is still open', async () => {
    await tabs.interrupt();
    const running = tabs.openTab().resumeRecords.begin(options, files);
    running.write({ completed: [], open: [] });
    await expect.poll(() => running.isStored()).toBe(true);
    await tabs.openTab().resumeRecords.removeStale();
    expect(tabs.records.size).toBe(2);
    for (const [id, record] of tabs.records)
      tabs.records.set(id, { ...record, savedAtMs: Date.now() - 24 * 3_600_000 });
    await tabs.openTab().resumeRecords.removeStale();
    expect([tabs.records.size, tabs.secretTexts.size, tabs.locks.size]).toEqual([1, 1, 1]);
  });

  it('is deleted if ten later uploads were interrupted as well', async () => {
    for (let n = 0; n < 12; n += 1) {
      await tabs.interrupt();
      for (const [id, record] of tabs.records) tabs.records.set(id, { ...record, savedAtMs: record.savedAtMs - 1 });
    }
    const ids = [...tabs.records.keys()];
    expect(await tabs.openTab().resumeRecords.findInterrupted(signal)).toHaveLength(10);
    expect([...tabs.records.keys()]).toEqual(ids.slice(2));
    expect(tabs.secretTexts.size).toBe(10);
  });

  it('cannot be resumed if nothing can be stored, but its record never throws', async () => {
    let tries = 0;
    tabs.database.put = () => {
      tries += 1;
      return Promise.reject(new Error('the disk is full'));
    };
    const record = tabs.openTab().resumeRecords.begin(options, files);
    for (const tried of [1, 2]) {
      record.write({ completed: [], open: [] });
      await expect.poll(() => tries).toBe(tried);
      await new Promise((resolve) => setImmediate(resolve));
      expect(record.isStored()).toBe(false);
    }
    record.remove();
    await expect.poll(() => tabs.locks.size).toBe(0);
  });

  it('cannot be resumed if the server gives no secret: then nothing is stored', async () => {
    tabs.secrets.create = () => Promise.reject(new Failure('RATE_LIMITED'));
    const record = tabs.openTab().resumeRecords.begin(options, files);
    record.write({ completed: [], open: [] });
    await new Promise((resolve) => setImmediate(resolve));
    record.remove();
    await new Promise((resolve) => setImmediate(resolve));
    expect([tabs.records.size, tabs.locks.size, record.isStored()]).toEqual([0, 0, false]);
  });
});
