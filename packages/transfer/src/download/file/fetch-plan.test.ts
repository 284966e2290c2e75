import type { PageFile } from '@furoshiki/api';
import { MB } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { openFile, pageFileOf, pageSecrets } from '../../../testing/rigs.ts';
import { openedFile } from '../page/page-machine.ts';
import { planFetch } from './fetch-plan.ts';

const plainFile = (fileSize: number): PageFile => ({
  id: 'A'.repeat(22),
  fileName: 'film.mkv',
  fileSize,
  isEncrypted: false,
  maxDownloads: 1,
  currentDownloads: 0,
  createdAt: 0,
  expiresAt: 1,
  retentionPeriod: 1,
  // The chunk size of the upload, which has no meaning for an unencrypted download.
  chunkSize: 5 * MB,
  format: 1,
  granted: false,
});

it('treats a file under another key as another file, even if everything else is the same', async () => {
  const page = await pageFileOf(10);
  const opened = await openFile(page);
  const identityOf = (keyCheck: string) =>
    planFetch(openedFile({ ...page, keyCheck }, opened), true).resumable?.identity;
  expect(identityOf('b25l')).toBe(identityOf('b25l'));
  expect(identityOf('b25l')).not.toBe(identityOf('dHdv'));
});

it.each([1, 2] as const)('proves the key to the server only for format 2 (%i)', async (format) => {
  const page = await pageFileOf(10, 1, format);
  const { grant } = planFetch(openedFile(page, await openFile(page)), true);
  const headers = { 'x-access-token': pageSecrets.accessToken };
  expect(grant).toEqual({ params: { id: page.id }, ...(format === 2 ? { headers } : {}) });
});

it('does not exist for an encrypted file that was not opened', async () => {
  const page = await pageFileOf(10);
  expect(() => planFetch(page, false)).toThrowError('KEY_EMPTY');
});

describe('the plan for an unencrypted file', () => {
  it.each([
    ['one byte', 1, 1, 1],
    ['all of 100 MB at once', 100 * MB, 100 * MB, 1],
    // A hundredth, rounded down: the rest is one more chunk.
    ['a byte more than that', 100 * MB + 1, MB, 101],
    ['1,000 MB', 1000 * MB, 10 * MB, 100],
    ['a hundredth that is just below 25 MB', 2500 * MB - 1, 25 * MB - 1, 101],
    ['a hundredth of 25 MB', 2500 * MB, 25 * MB, 100],
    ['no larger chunk for anything above', 2500 * MB + 100, 25 * MB, 101],
    ['10 GB', 10_240 * MB, 25 * MB, 410],
  ])('fetches %s', (_, fileSize, chunkSize, count) => {
    const plan = planFetch(plainFile(fileSize), false);
    expect(plan).toMatchObject({ fileSize, chunkSize, count });
    // From the first byte to the last, without gaps or overlaps.
    let end = 0;
    for (let index = 0; index < count; index += 1) {
      const range = plan.rangeOf(index);
      expect([range.start, range.length > 0, plan.encryptionOf(index)]).toEqual([end, true, undefined]);
      ({ end } = range);
    }
    expect(end).toBe(fileSize);
  });

  it('does not exist for an empty file', () => {
    expect(() => planFetch(plainFile(0), false)).toThrowError('FILE_EMPTY');
  });
});
