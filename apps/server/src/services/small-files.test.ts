import { Failure, SMALL_FILES } from '@furoshiki/api';
import { KB, MB } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import type { LiveFile } from '../ports/metadata-store.ts';
import { readSmallFiles, type SmallFile, type TakeGrant } from './small-files.ts';

const OVERHEAD = 28;

/** A store whose reads are recorded, and the grants that were taken from it. */
function createRig(sizes: readonly number[], failing: ReadonlySet<string> = new Set()) {
  const reads: string[] = [];
  const grants: string[] = [];
  const ids = sizes.map((_, index) => `file-${index}`);
  const takeGrant: TakeGrant = async (id, admit) => {
    const fileSize = (sizes[ids.indexOf(id)] ?? 0) - OVERHEAD;
    const file = { fileKey: id, fileSize, chunkSize: 25 * MB, isEncrypted: true } as LiveFile;
    admit(file);
    grants.push(id);
    return file;
  };
  const store = {
    async *read(key: string, start: number, end: number) {
      reads.push(key);
      if (failing.has(key)) throw new Failure('NOT_FOUND');
      // The same memory for all blocks.
      const block = new Uint8Array(Math.min(64 * KB, end - start));
      for (let at = start; at < end; at += block.length) yield block.fill(ids.indexOf(key)).subarray(0, end - at);
    },
  };
  return { reads, grants, ids, files: readSmallFiles(store, ids, takeGrant) };
}

async function bytesOf(file: SmallFile): Promise<Buffer> {
  if ('error' in file) throw file.error;
  const blocks: Buffer[] = [];
  for await (const block of file.blocks) blocks.push(Buffer.from(block));
  return Buffer.concat(blocks);
}

describe('many small files', () => {
  it('come in order, whole, whether they are read ahead or not', async () => {
    const sizes = [100, 700 * KB, 29, 200 * KB, 300 * KB, 1000, 900 * KB, 50];
    const { files } = createRig(sizes);
    let index = 0;
    for await (const file of files) {
      const bytes = await bytesOf(file);
      expect([bytes.length, bytes.every((byte) => byte === index)]).toEqual([sizes[index], true]);
      index += 1;
    }
    expect(index).toBe(sizes.length);
  });

  it('are read ahead only as far as memory allows, and no file from the place of another', async () => {
    const { files, reads } = createRig(Array.from({ length: 30 }, () => 100 * KB));
    await files.next();
    // Two of 100 KB fit into 256 KB.
    expect(reads).toEqual(['file-0', 'file-1']);
    await files.next();
    expect(reads).toEqual(['file-0', 'file-1', 'file-2']);
    await files.return(undefined);
  });

  it('are read ahead less if there are many responses', async () => {
    const open = Array.from({ length: 40 }, () => createRig(Array.from({ length: 30 }, () => 40 * KB)));
    for (const { files } of open) await files.next();
    const last = open.at(-1);
    expect(last?.reads).toEqual(['file-0']);
    expect(open[0]?.reads.length).toBe(6);
    for (const { files } of open) await files.return(undefined);
  });

  it('take no further grants if the client does not read', async () => {
    const { files, grants } = createRig(Array.from({ length: 200 }, () => 100));
    await files.next();
    expect(grants).toHaveLength(64);
    await files.return(undefined);
    expect(grants).toHaveLength(64);
  });

  it('are sent although one of them fails', async () => {
    const { files } = createRig([100, 100, 700 * KB, 100], new Set(['file-1', 'file-2']));
    const outcomes: string[] = [];
    for await (const file of files) {
      outcomes.push('error' in file ? (file.error as Failure).code : String((await bytesOf(file)).length));
    }
    expect(outcomes).toEqual(['100', 'NOT_FOUND', 'NOT_FOUND', '100']);
  });

  it('are refused beyond the limit of a file, and of all together', async () => {
    const { files, grants } = createRig([
      SMALL_FILES.maxFileBytes + 1,
      ...Array.from({ length: 8 }, () => SMALL_FILES.maxFileBytes),
      29,
    ]);
    const refused: string[] = [];
    for await (const file of files) {
      if ('error' in file) refused.push(file.id);
      else await bytesOf(file);
    }
    expect(refused).toEqual(['file-0', 'file-9']);
    expect(grants).toHaveLength(8);
  });
});
