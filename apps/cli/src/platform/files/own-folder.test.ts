import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openOwnFolder } from './own-folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'furoshiki-own-folder-'));
  mkdirSync(at('in'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (...names: string[]) => join(root, ...names);

describe('the folder of a page of several files', () => {
  const open = (title = 'Trip', identity = 'page') =>
    openOwnFolder({ parent: at('in'), title, identity, records: at('state') });

  it.each([
    ['Trip', 'Trip'],
    ['../../etc', '___.._etc'],
    ['.ssh', '_ssh'],
    ['-rf', '_rf'],
    ['C:\\a\u001B', 'C__a_'],
    ['写'.repeat(200), '写'.repeat(83)],
  ])('for the title %j has the name %j', async (title, name) => {
    expect((await open(title)).name).toBe(name);
    expect(readdirSync(at('in'))).toEqual([name]);
  });

  it('is a new one, not one that exists, also in another case or as a symbolic link', async () => {
    for (const name of ['TRIP', 'Trip (2)']) mkdirSync(at('in', name));
    symlinkSync(at('outside'), at('in', 'trip (3)'));
    expect((await open()).name).toBe('Trip (4)');
    expect((await open('Trip', 'another page')).name).toBe('Trip (5)');
  });

  it('is the same while the download is not complete', async () => {
    const first = await open();
    writeFileSync(at('in/Trip/a.txt.part'), 'a');
    await first.end(false);
    const next = await open('another title');
    expect(next.name).toBe('Trip');
    await next.end(true);
    expect((await open()).name).toBe('Trip (2)');
  });

  it.each<[string, () => void]>([
    ['is gone', () => rmSync(at('in/Trip'), { recursive: true })],
    [
      'is replaced by a symbolic link',
      () => (rmSync(at('in/Trip'), { recursive: true }), symlinkSync('/', at('in/Trip'))),
    ],
    ['has a damaged record', () => readdirSync(at('state')).forEach((name) => writeFileSync(at('state', name), '{'))],
  ])('is a new one if the one that was begun %s', async (_, change) => {
    await open();
    change();
    expect((await open('Other')).name).toBe('Other');
  });

  it('is removed if nothing was kept in it', async () => {
    const folder = await open();
    await folder.end(false);
    expect([readdirSync(at('in')), readdirSync(at('state'))]).toEqual([[], []]);
  });
});
