import { beforeEach, describe, expect, it } from 'vitest';
import { createResumeRecords } from './resume-records.ts';
import type { ResumeDatabase, StoredResumeRecord } from './resume-database.ts';

const options = { keyText: 'the key', downloadLimit: 3, retentionDays: 2 as const };
const named = (name: string, text: string, lastModified = 1) => ({
  name,
  file: new File([text], name, { lastModified }),
});
const files = [named('trip/a.txt', 'first'), named('trip/b.txt', 'second')];
const open = {
  uploadRef: { uploadId: 'u', fileKey: 'k' },
  chunkSize: 5,
  salt: 's',
  keyCheck: 'c',
  etags: [[0, 'e']] as const,
};

let kept: Map<string, StoredResumeRecord>;
let database: ResumeDatabase;
let held: Set<string>;
beforeEach(() => {
  kept = new Map();
  held = new Set();
  database = {
    put: async (record) => void kept.set(record.id, structuredClone(record)),
    all: async () => [...kept.values()],
    delete: async (id) => void kept.delete(id),
  };
});

/** One tab with its locks, which are released when it is closed. */
function openTab() {
  const own = new Set<string>();
  const acquireLock = async (name: string) => {
    if (held.has(name)) return undefined;
    held.add(name);
    own.add(name);
    return () => void held.delete(name);
  };
  const close = () => {
    for (const name of own) held.delete(name);
  };
  return { resumeRecords: createResumeRecords(database, acquireLock), close };
}

/** A tab that began an upload, wrote a checkpoint and was closed. */
async function interrupt(checkpoint = { completed: [], open }) {
  const tab = openTab();
  const record = tab.resumeRecords.begin(options, files);
  record.write(checkpoint);
  await expect.poll(() => record.isKept()).toBe(true);
  tab.close();
  return record;
}
const findOne = async () => {
  const [upload, ...others] = await openTab().resumeRecords.findInterrupted();
  expect(others).toEqual([]);
  if (!upload) throw new Error('nothing was interrupted');
  return upload;
};

describe('an upload whose tab was closed', () => {
  it('is found with everything that is needed to continue it', async () => {
    await interrupt();
    expect(await findOne()).toMatchObject({
      ...options,
      checkpoint: { completed: [], open },
      files: [
        { name: 'trip/a.txt', size: 5 },
        { name: 'trip/b.txt', size: 6 },
      ],
    });
  });

  it('is stored encrypted: no key, name or id can be read', async () => {
    await interrupt();
    const [stored] = kept.values();
    const text = new TextDecoder('latin1').decode(stored?.sealed) + JSON.stringify(stored);
    for (const secret of [options.keyText, 'a.txt', '"u"', 'uploadId']) expect(text).not.toContain(secret);
    expect(stored?.key.extractable).toBe(false);
  });

  it('is encrypted under a new IV each time and keeps the last checkpoint', async () => {
    const record = openTab().resumeRecords.begin(options, files);
    const ivs = new Set<string>();
    for (const completed of [[], [{ downloadId: 'd', pageId: 'p' }]]) {
      record.write({ completed });
      await expect.poll(() => ivs.add(String([...kept.values()][0]?.iv)).size).toBe(completed.length + 1);
    }
    held.clear();
    expect((await findOne()).checkpoint.completed).toHaveLength(1);
  });

  it('is not found by another tab while its own tab is open', async () => {
    const { resumeRecords } = openTab();
    const record = resumeRecords.begin(options, files);
    record.write({ completed: [] });
    await expect.poll(() => kept.size).toBe(1);
    expect(await openTab().resumeRecords.findInterrupted()).toEqual([]);
  });

  it('is claimed by one tab only, which continues its record', async () => {
    await interrupt();
    const [first, second] = [await findOne(), await findOne()];
    const claimed = await first.claim();
    expect(claimed?.resumeRecord.isKept()).toBe(true);
    expect(await second.claim()).toBeUndefined();
    claimed?.resumeRecord.write({ completed: [{ downloadId: 'd', pageId: 'p' }] });
    await expect.poll(() => kept.size).toBe(1);
    held.clear();
    await expect.poll(async () => (await findOne()).checkpoint.completed).toHaveLength(1);
  });

  it('continues from the checkpoint that another tab has written meanwhile', async () => {
    await interrupt();
    const stale = await findOne();
    const claimed = await (await findOne()).claim();
    kept.clear();
    claimed?.resumeRecord.write({ completed: [{ downloadId: 'd', pageId: 'p' }] });
    await expect.poll(() => kept.size).toBe(1);
    held.clear();
    expect(await stale.claim()).toMatchObject({ checkpoint: { completed: [{ downloadId: 'd' }] } });
  });

  it.each(['claim', 'discard'] as const)(
    'refuses %s while another tab has it, and after it ended there',
    async (act) => {
      await interrupt();
      const stale = await findOne();
      const claimed = await (await findOne()).claim();
      expect([await stale[act](), kept.size, held.size]).toEqual([undefined, 1, 1]);
      claimed?.resumeRecord.remove();
      await expect.poll(() => held.size).toBe(0);
      expect([await stale[act](), held.size]).toEqual([undefined, 0]);
    },
  );

  it('is gone after its removal, even in the middle of a write', async () => {
    const record = openTab().resumeRecords.begin(options, files);
    record.write({ completed: [] });
    record.remove();
    record.write({ completed: [] });
    await expect.poll(() => held.size).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect([kept.size, record.isKept()]).toEqual([0, false]);
  });

  it('is forgotten on request, after a day, and if its record is damaged', async () => {
    await interrupt();
    expect(await (await findOne()).discard()).toEqual({ completed: [], open });
    await expect.poll(() => [kept.size, held.size]).toEqual([0, 0]);
    for (const damage of [{ savedAtMs: Date.now() - 24 * 3_600_000 }, { sealed: new ArrayBuffer(40) }]) {
      await interrupt();
      for (const [id, record] of kept) kept.set(id, { ...record, ...damage });
      expect(await openTab().resumeRecords.findInterrupted()).toEqual([]);
      expect(kept.size).toBe(0);
    }
  });

  it('is found with all its facts if version 0.1 wrote its record', async () => {
    await interrupt();
    const { uploadRef, ...rest } = open;
    for (const [id, stored] of kept) {
      const mark = { name: 'trip/a.txt', size: 5, contentType: '', modifiedAtMs: 1, sample: 'x' };
      const note = { completed: [{ downloadId: 'd', pageID: 'p' }], open: { name: uploadRef, ...rest } };
      const bytes = new TextEncoder().encode(JSON.stringify({ ...options, marks: [mark], note }));
      const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: stored.iv }, stored.key, bytes);
      kept.set(id, { ...stored, sealed });
    }
    expect(await findOne()).toMatchObject({
      ...options,
      files: [{ name: 'trip/a.txt', size: 5 }],
      checkpoint: { completed: [{ downloadId: 'd', pageId: 'p' }], open },
    });
  });

  it('cannot be resumed if nothing can be stored, but its record never throws', async () => {
    let tries = 0;
    database.put = () => {
      tries += 1;
      return Promise.reject(new Error('no room'));
    };
    const record = openTab().resumeRecords.begin(options, files);
    for (const tried of [1, 2]) {
      record.write({ completed: [] });
      await expect.poll(() => tries).toBe(tried);
      await new Promise((resolve) => setImmediate(resolve));
      expect(record.isKept()).toBe(false);
    }
    record.remove();
    await expect.poll(() => held.size).toBe(0);
  });
});

describe('the files of an interrupted upload', () => {
  const again = () => files.map(({ name, file }) => ({ name, file: new File([file], name, { lastModified: 1 }) }));

  it('are recognised in the order of the upload, under the names that were sent', async () => {
    await interrupt();
    const given = again().toReversed();
    const alone = given.map(({ name, file }) => ({ name: name.replace('trip/', ''), file }));
    const { files: found, missing, changed } = await (await findOne()).matchFiles(alone);
    expect([found.map(({ name }) => name), missing, changed]).toEqual([['trip/a.txt', 'trip/b.txt'], [], []]);
    expect(await found[0]?.source.text()).toBe('first');
  });

  it.each([
    ['another date', named('b.txt', 'second', 2)],
    ['another size', named('b.txt', 'second!')],
    ['another content', named('b.txt', 'sEcond')],
  ])('are not confused with a file of %s', async (_, other) => {
    await interrupt();
    const [first] = again();
    const match = await (await findOne()).matchFiles([first!, other]);
    expect(match).toMatchObject({ files: [{ name: 'trip/a.txt' }], missing: [], changed: ['trip/b.txt'] });
  });

  it('are missing if they were not chosen, unless they have arrived', async () => {
    await interrupt();
    expect(await (await findOne()).matchFiles([])).toMatchObject({ missing: ['trip/a.txt', 'trip/b.txt'] });
    kept.clear();
    await interrupt({ completed: [{ downloadId: 'd', pageId: 'p' }] as never[], open });
    const [, second] = again();
    const match = await (await findOne()).matchFiles([second!]);
    expect(match).toMatchObject({
      files: [{ name: 'trip/a.txt', size: 5 }, { name: 'trip/b.txt' }],
      missing: [],
    });
  });

  it('are missing, not changed, if only files of the same name from other folders were chosen', async () => {
    const days = [named('day1/a.jpg', 'first'), named('day2/a.jpg', 'second'), named('day3/a.jpg', 'third')];
    const record = openTab().resumeRecords.begin(options, days);
    record.write({ completed: [{ downloadId: 'd', pageId: 'p' }] as never[] });
    await expect.poll(() => record.isKept()).toBe(true);
    held.clear();
    const upload = await findOne();
    const [arrived, second] = days;
    expect(await upload.matchFiles([arrived!, second!])).toMatchObject({ missing: ['day3/a.jpg'], changed: [] });
    expect(await upload.matchFiles([second!, named('day3/a.jpg', 'other')])).toMatchObject({
      missing: [],
      changed: ['day3/a.jpg'],
    });
  });

  it.each([0, 4, 8])('count as changed if sample %d of a large file differs', async (n) => {
    const bytes = new Uint8Array(2_000_000);
    const large = (content: Uint8Array<ArrayBuffer>) => ({
      name: 'l',
      file: new File([content], 'l', { lastModified: 1 }),
    });
    const record = openTab().resumeRecords.begin(options, [large(bytes)]);
    record.write({ completed: [] });
    await expect.poll(() => record.isKept()).toBe(true);
    held.clear();
    const upload = await findOne();
    expect(await upload.matchFiles([large(bytes)])).toMatchObject({ changed: [] });
    const changed = bytes.with(Math.floor(((bytes.length - 65_536) * n) / 8) + 9, 1);
    expect(await upload.matchFiles([large(changed)])).toMatchObject({ changed: ['l'] });
  });
});
