import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { appendToJournal, COMPLETED } from './part-journal.ts';
import { orQuotaExceeded } from './file-errors.ts';
import { writeAt } from './write-at.ts';

const body = () => Readable.from([randomBytes(100)]);

it('reports a full disk as QUOTA_EXCEEDED', async () => {
  await expect(writeAt('/dev/full', 0, 100, body())).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
});

it('reports a full disk as QUOTA_EXCEEDED when a line of the part journal is appended', async () => {
  await expect(appendToJournal('/dev/full', COMPLETED)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
});

it.each([
  ['ENOSPC', 'QUOTA_EXCEEDED'],
  ['EDQUOT', 'QUOTA_EXCEEDED'],
  ['EIO', 'EIO'],
])('maps the disk error %s to %s', async (code, expected) => {
  const error = Object.assign(new Error('disk'), { code });
  await expect(orQuotaExceeded(Promise.reject(error))).rejects.toMatchObject({ code: expected });
});

it('passes on every other disk error unchanged: the client is not to blame', async () => {
  // This file can only be opened for reading.
  await expect(writeAt('/proc/self/status', 0, 100, body())).rejects.toMatchObject({
    code: expect.stringMatching(/^E[A-Z]+$/u),
  });
});

it('reports a body that ends early as PART_LENGTH_INVALID', async () => {
  const broken = new Readable({ read() {} });
  broken.push(randomBytes(10));
  queueMicrotask(() => broken.destroy());
  await expect(writeAt('/dev/null', 0, 100, broken)).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
});
