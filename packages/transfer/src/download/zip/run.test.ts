import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Failure } from '@furoshiki/api';
import { afterEach, describe, expect, it } from 'vitest';
import { createPageRig, PAGE_ID, soon } from '../../../testing/download-rig.ts';
import { always, DELAY_MS, faultsOn } from '../../../testing/faults.ts';
import { randomBytes } from '../../../testing/rigs.ts';
import { archiveEntries, archiveSize } from './run.ts';
import { centralDirectory, dataDescriptor, localHeader, zipSize } from './zip-format.ts';

const GB = 1024 ** 3;
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Returns the names and sizes that Python's strict zipfile reads, after it has checked every checksum. */
function read(archive: Uint8Array): { name: string; size: number }[] {
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-zip-'));
  folders.push(folder);
  const path = join(folder, 'all.zip');
  writeFileSync(path, archive);
  const program = `
import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
archive.extractall(sys.argv[2])
print(json.dumps([{"name": i.filename, "size": i.file_size} for i in archive.infolist()]))`;
  const out = execFileSync('python3', ['-c', program, path, folder], { encoding: 'utf8' });
  return JSON.parse(out) as { name: string; size: number }[];
}

describe('an archive of a page', () => {
  it('is read by another program', async () => {
    const contents = [70, 1, 200].map(randomBytes);
    const rig = await createPageRig(contents);
    // Names are authenticated, so other names are tested with archiveEntries below.
    await rig.engine.downloadArchive('all.zip');
    const disk = rig.disks.get(PAGE_ID);
    expect(read(Uint8Array.from(disk?.bytes ?? []))).toEqual([
      { name: 'letter.txt', size: 70 },
      { name: 'letter 2.txt', size: 1 },
      { name: 'letter 3.txt', size: 200 },
    ]);
    const [folder = ''] = folders;
    expect(new Uint8Array(readFileSync(join(folder, 'letter 3.txt')))).toEqual(contents[2]);
  });

  it('is the same after a write failed and was retried', async () => {
    const contents = [70, 200].map(randomBytes);
    const bytesUnder = async (onWrite: (nth: number) => void) => {
      const rig = await createPageRig(contents, { onWrite });
      await rig.engine.downloadArchive('all.zip');
      expect(rig.engine.getState().archive).toEqual({ phase: 'complete' });
      return rig.disks.get(PAGE_ID)?.bytes;
    };
    const failed = await bytesUnder((nth) => {
      if (nth === 1) throw new Failure('NETWORK');
    });
    expect(failed).toEqual(await bytesUnder(() => {}));
  });

  it('requests small files before their turn, a few at a time, and writes them in order', async () => {
    const contents = Array.from({ length: 40 }, (_, index) => randomBytes(index + 1));
    const rig = await createPageRig(contents, {
      faultOf: faultsOn({ takeGrant: always('delay'), getRange: always('delay') }),
    });
    const startedMs = rig.clock.nowMs();
    await rig.engine.downloadArchive('all.zip');
    const roundTrips = (rig.clock.nowMs() - startedMs) / DELAY_MS;
    expect(roundTrips).toBeLessThan((2 * contents.length) / 4);
    const disk = rig.disks.get(PAGE_ID);
    expect(read(Uint8Array.from(disk?.bytes ?? [])).map(({ size }) => size)).toEqual(
      contents.map(({ length }) => length),
    );
  });

  it('requests no more than sixteen files before the first is written, and nothing after a failure', async () => {
    const contents = Array.from({ length: 40 }, () => randomBytes(10));
    const rig = await createPageRig(contents, { faultOf: faultsOn({ getRange: ['hang'] }) });
    const archive = rig.engine.downloadArchive('all.zip');
    await soon(rig);
    expect(rig.server.counts.get('takeGrant')).toBe(16);
    await rig.engine.cancelArchive();
    await archive;
    expect([rig.engine.getState().archive.phase, rig.server.counts.get('takeGrant')]).toEqual(['cancelled', 16]);
    const damaged = await createPageRig(contents);
    for (const { sealed } of [...damaged.server.files.values()].slice(0, 1)) sealed.fill(0);
    await damaged.engine.downloadArchive('all.zip');
    expect(damaged.engine.getState().archive.phase).toBe('failed');
    expect(damaged.server.counts.get('takeGrant')).toBeLessThanOrEqual(16);
  });

  it('keeps folders, and all paths are distinct and stay inside of it', async () => {
    const { files } = await createPageRig([1, 2, 3, 4].map(randomBytes));
    const names = ['写真/花.jpg', '../../etc/passwd', 'a.txt', 'A.txt'];
    const named = files.map((file, index) => ({ ...file, fileName: names[index] ?? '' }));
    const paths = archiveEntries(named).map(({ path }) => path);
    expect(paths).toEqual(['写真/花.jpg', '__/__/etc/passwd', 'a.txt', 'A (2).txt']);
    expect(archiveSize(named)).toBe(zipSize(archiveEntries(named)));
  });
});

describe('the format', () => {
  const modifiedAtSeconds = Date.UTC(2026, 10, 15, 12, 30, 42) / 1000;

  it('is read by another program with names in UTF-8 and folders', () => {
    const content = randomBytes(9);
    const entry = { path: '風呂敷/🎁 a.bin', size: 9, modifiedAtSeconds };
    const head = [...localHeader(entry), ...content, ...dataDescriptor(entry, crc32(content))];
    const end = centralDirectory([{ ...entry, crc32: crc32(content), offset: 0 }], head.length);
    const archive = new Uint8Array([...head, ...end]);
    expect(read(archive)).toEqual([{ name: '風呂敷/🎁 a.bin', size: 9 }]);
    expect(archive).toHaveLength(zipSize([entry]));
  });

  it('uses 64 bits if 32 are too few, as another program reads it', () => {
    const entries = [
      { path: 'small', size: 3, modifiedAtSeconds },
      { path: 'large', size: 5 * GB, modifiedAtSeconds },
      { path: 'behind', size: 4, modifiedAtSeconds },
    ];
    let offset = 0;
    const written = entries.map((entry) => {
      const placed = { ...entry, crc32: 7, offset };
      offset += localHeader(entry).length + entry.size + dataDescriptor(entry, 7).length;
      return placed;
    });
    const directory = centralDirectory(written, offset);
    expect(offset + directory.length).toBe(zipSize(entries));
    const folder = mkdtempSync(join(tmpdir(), 'furoshiki-zip-'));
    folders.push(folder);
    // A sparse file of five gigabytes with the directory at its end needs no disk space.
    const program = `
import json, sys, zipfile
with open(sys.argv[1], 'wb') as f:
    f.seek(int(sys.argv[2])); f.write(bytes.fromhex(sys.argv[3]))
print(json.dumps([[i.filename, i.file_size, i.header_offset, list(i.date_time)] for i in zipfile.ZipFile(sys.argv[1]).infolist()]))`;
    const hex = Buffer.from(directory).toString('hex');
    const out = execFileSync('python3', ['-c', program, join(folder, 'z'), String(offset), hex], { encoding: 'utf8' });
    const date = [2026, 11, 15, 12, 30, 42];
    expect(JSON.parse(out)).toEqual(written.map((entry) => [entry.path, entry.size, entry.offset, date]));
  });
});
