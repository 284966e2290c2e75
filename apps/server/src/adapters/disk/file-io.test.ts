import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { diskFailureOf, writeAt } from './file-io.ts';
import { appendToJournal, COMPLETED } from './part-journal.ts';

const body = () => Readable.from([randomBytes(100)]);

it('reports a full disk', async () => {
  await expect(writeAt('/dev/full', 0, 100, body())).rejects.toMatchObject({ code: 'ENOSPC' });
});

it('reports a full disk when a line of the part journal is appended', async () => {
  await expect(appendToJournal('/dev/full', COMPLETED)).rejects.toMatchObject({ code: 'ENOSPC' });
});

it.each([
  ['ENOSPC', 'QUOTA_EXCEEDED'],
  ['EDQUOT', 'QUOTA_EXCEEDED'],
  ['EIO', 'SERVICE_UNAVAILABLE'],
  ['EROFS', 'SERVICE_UNAVAILABLE'],
  ['EMFILE', 'SERVICE_UNAVAILABLE'],
  ['EBADF', 'EBADF'],
])('maps the disk error %s to %s', (code, expected) => {
  expect(diskFailureOf(Object.assign(new Error('disk'), { code, syscall: 'write' }))).toMatchObject({ code: expected });
});

it('reports a body that ends early as PART_LENGTH_INVALID', async () => {
  const broken = new Readable({ read() {} });
  broken.push(randomBytes(10));
  queueMicrotask(() => broken.destroy());
  await expect(writeAt('/dev/null', 0, 100, broken)).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
});
