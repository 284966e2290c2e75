import { GB, planOfChunks, sealedRange } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { expectDownloaded, expectDownloadFailed } from '../../../testing/outcomes.ts';
import { createDownloadRig, type DownloadRig } from '../../../testing/download-rig.ts';
import { CHUNK_BYTES, randomBytes } from '../../../testing/rigs.ts';

const content = randomBytes(4 * CHUNK_BYTES + 3);

describe('a server or storage that lies', () => {
  const tamperings: [string, (sealed: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>][] = [
    ['flips a bit of the last chunk', (sealed) => sealed.with(sealed.length - 1, sealed.at(-1)! ^ 1)],
    ['swaps two chunks', swapFirstTwo],
    ['repeats a chunk', (sealed) => sealed.copyWithin(60, 0, 60)],
    ['drops a chunk in the middle', (sealed) => Uint8Array.from([...sealed.slice(0, 60), ...sealed.slice(120)])],
    ['cuts a chunk short, so that the rest moves up', (sealed) => withoutByte(sealed, 40)],
  ];

  it.each(tamperings)('and %s is detected at once, and nothing is saved', async (_, tamper) => {
    const rig = await createDownloadRig(content);
    const stored = rig.server.files.get(rig.page.id);
    if (stored) stored.sealed = tamper(stored.sealed);
    await rig.download();
    expectDownloadFailed(rig, 'DECRYPTION_FAILED', 'discarded');
    expect(rig.server.counts.get('confirmDownload')).toBeUndefined();
    expect(rig.clock.nowMs()).toBe(0);
  });

  it('and truncates the file saves nothing either', async () => {
    const rig = await createDownloadRig(content);
    const stored = rig.server.files.get(rig.page.id);
    if (stored) stored.sealed = stored.sealed.slice(0, -1);
    await rig.download();
    expectDownloadFailed(rig, 'NETWORK', 'suspended');
  });

  it.each<[string, Partial<DownloadRig['page']>]>([
    ['another name', { fileName: 'letter.exe' }],
    ['a shorter file, at the edge of a chunk', { fileSize: 4 * CHUNK_BYTES }],
  ])('that names %s saves nothing', async (_, lie) => {
    const old = await createDownloadRig(content, { format: 1 });
    await old.download(lie);
    expect(old.engine.getState()).toMatchObject({ phase: 'failed', failure: { code: 'DECRYPTION_FAILED' } });
    expect(old.disk.outcome).not.toBe('finished');
    // With format 2 it is noticed before anything is requested.
    const rig = await createDownloadRig(content);
    await expect(rig.download(lie)).rejects.toThrowError('PAGE_TAMPERED');
    expect(rig.server.counts.get('takeGrant')).toBeUndefined();
  });

  it.each<[string, Partial<DownloadRig['page']>, string]>([
    ['an empty file', { fileSize: 0 }, 'CHUNK_SIZE_INVALID'],
    ['chunks of size 0', { chunkSize: 0 }, 'CHUNK_SIZE_INVALID'],
    ['chunks of a negative size', { chunkSize: -1 }, 'CHUNK_SIZE_INVALID'],
    ['chunks that do not fit into memory', { fileSize: 10 * GB, chunkSize: 10 * GB }, 'CHUNK_SIZE_INVALID'],
    ['more chunks than allowed', { fileSize: 10_000 * CHUNK_BYTES }, 'CHUNK_SIZE_INVALID'],
    ['an unencrypted file although there is a key', { isEncrypted: false }, 'PAGE_TAMPERED'],
    ['a file without a salt', { salt: undefined }, 'PAGE_TAMPERED'],
  ])('that names %s is refused before anything is requested', async (_, lie, code) => {
    const rig = await createDownloadRig(content, { format: 1 });
    await expect(rig.download(lie)).rejects.toThrowError(code);
    expect([rig.disk.outcome, rig.server.counts.get('takeGrant')]).toEqual([undefined, undefined]);
  });
});

it('reads a file of format 1', async () => {
  const rig = await createDownloadRig(content, { format: 1 });
  await rig.download();
  expectDownloaded(rig, content);
});

function swapFirstTwo(sealed: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { length } = sealedRange(planOfChunks(content.length, CHUNK_BYTES), 0);
  const first = sealed.slice(0, length);
  sealed.copyWithin(0, length, 2 * length);
  sealed.set(first, length);
  return sealed;
}

function withoutByte(sealed: Uint8Array<ArrayBuffer>, at: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...sealed.slice(0, at), ...sealed.slice(at + 1), 0]);
}
