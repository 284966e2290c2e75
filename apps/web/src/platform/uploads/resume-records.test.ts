import { beforeEach, describe, expect, it } from 'vitest';
import { createTabs, files, open, options } from '../../../testing/resume-tabs.ts';

let tabs: ReturnType<typeof createTabs>;
beforeEach(() => {
  tabs = createTabs();
});

describe('an upload whose tab was closed', () => {
  it('is found with everything that is needed to continue it', async () => {
    await tabs.interrupt();
    expect(await tabs.findOne()).toMatchObject({
      ...options,
      checkpoint: { completed: [], open },
      files: [
        { name: 'trip/a.txt', size: 5 },
        { name: 'trip/b.txt', size: 6 },
      ],
    });
  });

  it('is stored encrypted: no key, name or id can be read', async () => {
    await tabs.interrupt();
    const [stored] = tabs.records.values();
    const text = new TextDecoder('latin1').decode(stored?.sealed) + JSON.stringify(stored);
    for (const secret of [options.keyText, 'a.txt', '"u"', 'uploadId']) expect(text).not.toContain(secret);
    expect(stored?.key.extractable).toBe(false);
  });

  it('is encrypted under a new IV each time and keeps the last checkpoint', async () => {
    const record = tabs.openTab().resumeRecords.begin(options, files);
    const ivs = new Set<string>();
    for (const completed of [[], [{ downloadId: 'd', pageId: 'p' }]]) {
      record.write({ completed });
      await expect.poll(() => ivs.add(String([...tabs.records.values()][0]?.iv)).size).toBe(completed.length + 1);
    }
    tabs.locks.clear();
    expect((await tabs.findOne()).checkpoint.completed).toHaveLength(1);
  });

  it('is not found by another tab while its own tab is open', async () => {
    const { resumeRecords } = tabs.openTab();
    const record = resumeRecords.begin(options, files);
    record.write({ completed: [] });
    await expect.poll(() => tabs.records.size).toBe(1);
    expect(await tabs.openTab().resumeRecords.findInterrupted()).toEqual([]);
  });

  it('is claimed by one tab only, which continues its record', async () => {
    await tabs.interrupt();
    const [first, second] = [await tabs.findOne(), await tabs.findOne()];
    const claimed = await first.claim();
    expect(claimed?.resumeRecord.isStored()).toBe(true);
    expect(await second.claim()).toBeUndefined();
    claimed?.resumeRecord.write({ completed: [{ downloadId: 'd', pageId: 'p' }] });
    await expect.poll(() => tabs.records.size).toBe(1);
    tabs.locks.clear();
    await expect.poll(async () => (await tabs.findOne()).checkpoint.completed).toHaveLength(1);
  });

  it('continues from the checkpoint that another tab has written in the meantime', async () => {
    await tabs.interrupt();
    const stale = await tabs.findOne();
    const claimed = await (await tabs.findOne()).claim();
    tabs.records.clear();
    claimed?.resumeRecord.write({ completed: [{ downloadId: 'd', pageId: 'p' }] });
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
    record.write({ completed: [] });
    record.remove();
    record.write({ completed: [] });
    await expect.poll(() => tabs.locks.size).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect([tabs.records.size, record.isStored()]).toEqual([0, false]);
  });

  it('is deleted when discarded, after a day, and if its record is damaged', async () => {
    await tabs.interrupt();
    expect(await (await tabs.findOne()).discard()).toEqual({ completed: [], open });
    await expect.poll(() => [tabs.records.size, tabs.locks.size]).toEqual([0, 0]);
    for (const damage of [{ savedAtMs: Date.now() - 24 * 3_600_000 }, { sealed: new ArrayBuffer(40) }]) {
      await tabs.interrupt();
      for (const [id, record] of tabs.records) tabs.records.set(id, { ...record, ...damage });
      expect(await tabs.openTab().resumeRecords.findInterrupted()).toEqual([]);
      expect(tabs.records.size).toBe(0);
    }
  });

  it('is found with all its facts if version 0.1 wrote its record', async () => {
    await tabs.interrupt();
    const { uploadRef, ...rest } = open;
    for (const [id, stored] of tabs.records) {
      const mark = { name: 'trip/a.txt', size: 5, contentType: '', modifiedAtMs: 1, sample: 'x' };
      const note = { completed: [{ downloadId: 'd', pageID: 'p' }], open: { name: uploadRef, ...rest } };
      const bytes = new TextEncoder().encode(JSON.stringify({ ...options, marks: [mark], note }));
      const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: stored.iv }, stored.key, bytes);
      tabs.records.set(id, { ...stored, sealed });
    }
    expect(await tabs.findOne()).toMatchObject({
      ...options,
      files: [{ name: 'trip/a.txt', size: 5 }],
      checkpoint: { completed: [{ downloadId: 'd', pageId: 'p' }], open },
    });
  });

  it('cannot be resumed if nothing can be stored, but its record never throws', async () => {
    let tries = 0;
    tabs.database.put = () => {
      tries += 1;
      return Promise.reject(new Error('the disk is full'));
    };
    const record = tabs.openTab().resumeRecords.begin(options, files);
    for (const tried of [1, 2]) {
      record.write({ completed: [] });
      await expect.poll(() => tries).toBe(tried);
      await new Promise((resolve) => setImmediate(resolve));
      expect(record.isStored()).toBe(false);
    }
    record.remove();
    await expect.poll(() => tabs.locks.size).toBe(0);
  });
});
