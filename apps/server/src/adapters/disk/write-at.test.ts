import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { writeAt } from './write-at.ts';

const body = () => Readable.from([randomBytes(100)]);

it('tells a full disk as such', async () => {
  await expect(writeAt('/dev/full', 0, 100, body())).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
});

it('lets every other error of the disk be what it is: it is not the client that failed', async () => {
  // A folder can be opened for reading alone.
  await expect(writeAt('/proc/self/status', 0, 100, body())).rejects.toMatchObject({
    code: expect.stringMatching(/^E[A-Z]+$/u),
  });
});

it('tells a body that breaks off from one that the disk refused', async () => {
  const broken = new Readable({ read() {} });
  broken.push(randomBytes(10));
  queueMicrotask(() => broken.destroy());
  await expect(writeAt('/dev/null', 0, 100, broken)).rejects.toMatchObject({ code: 'PART_LENGTH_INVALID' });
});
