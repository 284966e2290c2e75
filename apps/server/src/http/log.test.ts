import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { freePort } from '../../testing/process.ts';
import { describeError } from './request-log.ts';

async function errorOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => expect.unreachable(),
    (error: unknown) => error as Error,
  );
}

it('describes an error with its stack, its code and its causes', () => {
  const error = new TypeError('outer', { cause: Object.assign(new Error('inner'), { code: 'EIO' }) });
  expect(describeError(error)).toEqual({
    type: 'TypeError',
    message: 'outer',
    stack: error.stack,
    cause: { type: 'Error', message: 'inner', code: 'EIO', stack: expect.stringContaining('log.test.ts') },
  });
});

it('removes the path of a file, which contains an id', async () => {
  const error = await errorOf(readFile('/objects/ab/abcdefgh-key/data'));
  const description = describeError(error);
  expect(description).toMatchObject({ code: 'ENOENT', message: "ENOENT: no such file or directory, open '…'" });
  expect(JSON.stringify(description)).not.toContain('abcdefgh');
});

it('removes addresses and unknown fields of an error', async () => {
  const error = await errorOf(fetch(`http://127.0.0.1:${await freePort()}/secret`));
  Object.assign(error, { rawPacket: Buffer.from('GET /secret') });
  const description = JSON.stringify(describeError(error));
  expect(description).toContain('ECONNREFUSED');
  expect(description).not.toMatch(/127\.0\.0\.1|secret|rawPacket/u);
});

it('logs nothing of a thrown value that is not an Error', () => {
  expect(JSON.stringify(describeError({ token: 'secret' }))).not.toContain('secret');
});
