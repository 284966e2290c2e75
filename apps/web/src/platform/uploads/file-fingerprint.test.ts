import { beforeEach, describe, expect, it } from 'vitest';
import { createTabs, files, named, options } from '../../../testing/resume-tabs.ts';

let tabs: ReturnType<typeof createTabs>;
beforeEach(() => {
  tabs = createTabs();
});

describe('the files of an interrupted upload', () => {
  const again = () => files.map(({ name, file }) => ({ name, file: new File([file], name, { lastModified: 1 }) }));

  it('are recognised in the order of the upload, under the names that were sent', async () => {
    await tabs.interrupt();
    const given = again().toReversed();
    const withoutFolder = given.map(({ name, file }) => ({ name: name.replace('trip/', ''), file }));
    const { files: found, missing, changed } = await (await tabs.findOne()).matchFiles(withoutFolder);
    expect([found.map(({ name }) => name), missing, changed]).toEqual([['trip/a.txt', 'trip/b.txt'], [], []]);
    expect(await found[0]?.source.text()).toBe('first');
  });

  it.each([
    ['another date', named('b.txt', 'second', 2)],
    ['another size', named('b.txt', 'second!')],
    ['another content', named('b.txt', 'sEcond')],
  ])('are not confused with a file of %s', async (_, other) => {
    await tabs.interrupt();
    const [first] = again();
    const match = await (await tabs.findOne()).matchFiles([first!, other]);
    expect(match).toMatchObject({ files: [{ name: 'trip/a.txt' }], missing: [], changed: ['trip/b.txt'] });
  });

  it('are missing if they were not chosen, unless they have arrived', async () => {
    await tabs.interrupt();
    expect(await (await tabs.findOne()).matchFiles([])).toMatchObject({ missing: ['trip/a.txt', 'trip/b.txt'] });
    tabs.records.clear();
    await tabs.interrupt({ pageSalt: 'salt', completed: [{ fileIndex: 0, downloadId: 'd', pageId: 'p' }], open: [] });
    const [, second] = again();
    const match = await (await tabs.findOne()).matchFiles([second!]);
    expect(match).toMatchObject({
      files: [{ name: 'trip/a.txt', size: 5 }, { name: 'trip/b.txt' }],
      missing: [],
    });
  });

  it('are missing, not changed, if only files of the same name from other folders were chosen', async () => {
    const days = [named('day1/a.jpg', 'first'), named('day2/a.jpg', 'second'), named('day3/a.jpg', 'third')];
    const record = tabs.openTab().resumeRecords.begin(options, days);
    record.write({ pageSalt: 'salt', completed: [{ fileIndex: 0, downloadId: 'd', pageId: 'p' }], open: [] });
    await expect.poll(() => record.isStored()).toBe(true);
    tabs.locks.clear();
    const upload = await tabs.findOne();
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
    const record = tabs.openTab().resumeRecords.begin(options, [large(bytes)]);
    record.write({ completed: [], open: [] });
    await expect.poll(() => record.isStored()).toBe(true);
    tabs.locks.clear();
    const upload = await tabs.findOne();
    expect(await upload.matchFiles([large(bytes)])).toMatchObject({ changed: [] });
    const changed = bytes.with(Math.floor(((bytes.length - 65_536) * n) / 8) + 9, 1);
    expect(await upload.matchFiles([large(changed)])).toMatchObject({ changed: ['l'] });
  });
});
