import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { freePort } from '../../../testing/process.ts';
import { describeError } from './log.ts';

async function errorOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => expect.unreachable(),
    (error: unknown) => error as Error,
  );
}

it('tells an error with its stack, its code and its causes', () => {
  const error = new TypeError('outer', { cause: Object.assign(new Error('inner'), { code: 'EIO' }) });
  expect(describeError(error)).toEqual({
    type: 'TypeError',
    message: 'outer',
    stack: error.stack,
    cause: { type: 'Error', message: 'inner', code: 'EIO', stack: expect.stringContaining('log.test.ts') },
  });
});

it('leaves out the path of a file, whose name is an id', async () => {
  const error = await errorOf(readFile('/objects/ab/abcdefgh-key/data'));
  const told = describeError(error);
  expect(told).toMatchObject({ code: 'ENOENT', message: "ENOENT: no such file or directory, open '…'" });
  expect(JSON.stringify(told)).not.toContain('abcdefgh');
});

it('leaves out addresses, and whatever else hangs on an error', async () => {
  const error = await errorOf(fetch(`http://127.0.0.1:${await freePort()}/secret`));
  Object.assign(error, { rawPacket: Buffer.from('GET /secret') });
  const told = JSON.stringify(describeError(error));
  expect(told).toContain('ECONNREFUSED');
  expect(told).not.toMatch(/127\.0\.0\.1|secret|rawPacket/u);
});

it('tells nothing of what was thrown and is no error', () => {
  expect(JSON.stringify(describeError({ token: 'secret' }))).not.toContain('secret');
});
