import { beforeEach, describe, expect, it } from 'vitest';
import { createUploadJournals, type TabLocks } from './upload-journal.ts';
import type { UploadRecord, UploadRecords } from './upload-records.ts';

const facts = { keyText: 'the key', downloadLimit: 3, retentionDays: 2 as const };
const named = (name: string, text: string, lastModified = 1) => ({
  name,
  file: new File([text], name, { lastModified }),
});
const files = [named('trip/a.txt', 'first'), named('trip/b.txt', 'second')];
const open = {
  name: { uploadId: 'u', fileKey: 'k' },
  chunkSize: 5,
  salt: 's',
  keyCheck: 'c',
  etags: [[0, 'e']] as const,
};

let kept: Map<string, UploadRecord>;
let records: UploadRecords;
let held: Set<string>;
beforeEach(() => {
  kept = new Map();
  held = new Set();
  records = {
    put: async (record) => void kept.set(record.id, structuredClone(record)),
    all: async () => [...kept.values()],
    delete: async (id) => void kept.delete(id),
  };
});

/** What one tab sees of the locks: all go when it is closed. */
function openTab() {
  const own = new Set<string>();
  const locks: TabLocks = {
    async take(name) {
      if (held.has(name)) return undefined;
      held.add(name);
      own.add(name);
      return () => void held.delete(name);
    },
  };
  const close = () => {
    for (const name of own) held.delete(name);
  };
  return { journals: createUploadJournals(records, locks), close };
}

/** A tab that began an upload, wrote this down, and was closed. */
async function interrupt(note = { completed: [], open }) {
  const tab = openTab();
  const journal = tab.journals.begin(facts, files);
  journal.write(note);
  await expect.poll(() => journal.isKept()).toBe(true);
  tab.close();
  return journal;
}
const findOne = async () => {
  const [upload, ...others] = await openTab().journals.findInterrupted();
  expect(others).toEqual([]);
  if (!upload) throw new Error('nothing was interrupted');
  return upload;
};

describe('an upload whose tab was closed', () => {
  it('is found with all that it takes to go on', async () => {
    await interrupt();
    expect(await findOne()).toMatchObject({
      ...facts,
      checkpoint: { completed: [], open },
      files: [
        { name: 'trip/a.txt', size: 5 },
        { name: 'trip/b.txt', size: 6 },
      ],
    });
  });

  it('is kept sealed: neither its key nor a name nor an id can be read', async () => {
    await interrupt();
    const [record] = kept.values();
    const text = new TextDecoder('latin1').decode(record?.sealed) + JSON.stringify(record);
    for (const secret of [facts.keyText, 'a.txt', '"u"', 'uploadId']) expect(text).not.toContain(secret);
    expect(record?.key.extractable).toBe(false);
  });

  it('is sealed under another IV each time, and keeps what was written last', async () => {
    const journal = openTab().journals.begin(facts, files);
    const ivs = new Set<string>();
    for (const completed of [[], [{ downloadId: 'd', pageID: 'p' }]]) {
      journal.write({ completed });
      await expect.poll(() => ivs.add(String([...kept.values()][0]?.iv)).size).toBe(completed.length + 1);
    }
    held.clear();
    expect((await findOne()).checkpoint.completed).toHaveLength(1);
  });

  it('is found by no other tab while its own lives', async () => {
    const { journals } = openTab();
    const journal = journals.begin(facts, files);
    journal.write({ completed: [] });
    await expect.poll(() => kept.size).toBe(1);
    expect(await openTab().journals.findInterrupted()).toEqual([]);
  });

  it('is taken over by one tab alone, which goes on writing', async () => {
    await interrupt();
    const [first, second] = [await findOne(), await findOne()];
    const taken = await first.claim();
    expect(taken?.resumeRecord.isKept()).toBe(true);
    expect(await second.claim()).toBeUndefined();
    taken?.resumeRecord.write({ completed: [{ downloadId: 'd', pageID: 'p' }] });
    await expect.poll(() => kept.size).toBe(1);
    held.clear();
    await expect.poll(async () => (await findOne()).checkpoint.completed).toHaveLength(1);
  });

  it('is gone on with from where another tab has brought it meanwhile', async () => {
    await interrupt();
    const stale = await findOne();
    const taken = await (await findOne()).claim();
    kept.clear();
    taken?.resumeRecord.write({ completed: [{ downloadId: 'd', pageID: 'p' }] });
    await expect.poll(() => kept.size).toBe(1);
    held.clear();
    expect(await stale.claim()).toMatchObject({ checkpoint: { completed: [{ downloadId: 'd' }] } });
  });

  it.each(['claim', 'discard'] as const)(
    'is not for %s while another tab has it, nor when it has ended there',
    async (act) => {
      await interrupt();
      const stale = await findOne();
      const taken = await (await findOne()).claim();
      expect([await stale[act](), kept.size, held.size]).toEqual([undefined, 1, 1]);
      taken?.resumeRecord.remove();
      await expect.poll(() => held.size).toBe(0);
      expect([await stale[act](), held.size]).toEqual([undefined, 0]);
    },
  );

  it('is gone when it was removed, also in the middle of writing', async () => {
    const journal = openTab().journals.begin(facts, files);
    journal.write({ completed: [] });
    journal.remove();
    journal.write({ completed: [] });
    await expect.poll(() => held.size).toBe(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect([kept.size, journal.isKept()]).toEqual([0, false]);
  });

  it('is forgotten on request, after a day, and when it is damaged', async () => {
    await interrupt();
    expect(await (await findOne()).discard()).toEqual({ completed: [], open });
    await expect.poll(() => [kept.size, held.size]).toEqual([0, 0]);
    for (const damage of [{ savedAtMs: Date.now() - 24 * 3_600_000 }, { sealed: new ArrayBuffer(40) }]) {
      await interrupt();
      for (const [id, record] of kept) kept.set(id, { ...record, ...damage });
      expect(await openTab().journals.findInterrupted()).toEqual([]);
      expect(kept.size).toBe(0);
    }
  });

  it('cannot be resumed where nothing can be kept, and goes on all the same', async () => {
    let tries = 0;
    records.put = () => {
      tries += 1;
      return Promise.reject(new Error('no room'));
    };
    const journal = openTab().journals.begin(facts, files);
    for (const tried of [1, 2]) {
      journal.write({ completed: [] });
      await expect.poll(() => tries).toBe(tried);
      await new Promise((resolve) => setImmediate(resolve));
      expect(journal.isKept()).toBe(false);
    }
    journal.remove();
    await expect.poll(() => held.size).toBe(0);
  });
});

describe('its files', () => {
  const again = () => files.map(({ name, file }) => ({ name, file: new File([file], name, { lastModified: 1 }) }));

  it('are known again in the order of the upload, under the names that they were sent by', async () => {
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
  ])('are told apart from those of %s', async (_, other) => {
    await interrupt();
    const [first] = again();
    const recognition = await (await findOne()).matchFiles([first!, other]);
    expect(recognition).toMatchObject({ files: [{ name: 'trip/a.txt' }], missing: [], changed: ['trip/b.txt'] });
  });

  it('are missed where they were not chosen, unless they have arrived', async () => {
    await interrupt();
    expect(await (await findOne()).matchFiles([])).toMatchObject({ missing: ['trip/a.txt', 'trip/b.txt'] });
    kept.clear();
    await interrupt({ completed: [{ downloadId: 'd', pageID: 'p' }] as never[], open });
    const [, second] = again();
    const recognition = await (await findOne()).matchFiles([second!]);
    expect(recognition).toMatchObject({
      files: [{ name: 'trip/a.txt', size: 5 }, { name: 'trip/b.txt' }],
      missing: [],
    });
  });

  it('are missed, and not taken for changed, where only namesakes from other folders were chosen', async () => {
    const days = [named('day1/a.jpg', 'first'), named('day2/a.jpg', 'second'), named('day3/a.jpg', 'third')];
    const journal = openTab().journals.begin(facts, days);
    journal.write({ completed: [{ downloadId: 'd', pageID: 'p' }] as never[] });
    await expect.poll(() => journal.isKept()).toBe(true);
    held.clear();
    const upload = await findOne();
    const [arrived, second] = days;
    expect(await upload.matchFiles([arrived!, second!])).toMatchObject({ missing: ['day3/a.jpg'], changed: [] });
    expect(await upload.matchFiles([second!, named('day3/a.jpg', 'other')])).toMatchObject({
      missing: [],
      changed: ['day3/a.jpg'],
    });
  });

  it.each([0, 4, 8])('are told apart by a change in sample %d of a large file', async (n) => {
    const bytes = new Uint8Array(2_000_000);
    const large = (content: Uint8Array<ArrayBuffer>) => ({
      name: 'l',
      file: new File([content], 'l', { lastModified: 1 }),
    });
    const journal = openTab().journals.begin(facts, [large(bytes)]);
    journal.write({ completed: [] });
    await expect.poll(() => journal.isKept()).toBe(true);
    held.clear();
    const upload = await findOne();
    expect(await upload.matchFiles([large(bytes)])).toMatchObject({ changed: [] });
    const changed = bytes.with(Math.floor(((bytes.length - 65_536) * n) / 8) + 9, 1);
    expect(await upload.matchFiles([large(changed)])).toMatchObject({ changed: ['l'] });
  });
});
