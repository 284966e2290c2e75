// One server at a time on a data folder, with real processes.
import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort, runToExit, startServerProcess } from '../../testing/process.ts';
import { diagnose } from '../../testing/start-and-doctor.ts';
import { openStores } from '../open-stores.ts';
import { readConfig } from './config.ts';
import { dataPaths, tryToLock } from './data-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'furoshiki-lock-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('a second server is refused while the first one runs, and admin commands are not', async () => {
  const first = await startServerProcess({ DATA_DIR: folder });
  const second = runToExit('main', [], { DATA_DIR: folder, PORT: '0' });
  const { port } = new URL(first.url);
  expect(await runToExit('admin', ['stats'], { DATA_DIR: folder })).toMatchObject({ code: 0, stderr: '' });
  // The doctor is asked about the first server, and then about the second one, which has another port.
  const { printed } = await diagnose({ DATA_DIR: folder, PORT: port });
  expect(printed).toContain(
    `ok      data folder: ${folder} can be written, and others cannot enter it; a server uses it`,
  );
  const { failing } = await diagnose({ DATA_DIR: folder, PORT: String(await freePort()) });
  const problem = `another server uses DATA_DIR ${folder}`;
  const advice = 'stop it, or give each server a DATA_DIR of its own; `lslocks` shows its process';
  const finding = failing.find(({ text }) => text === problem);
  expect(finding?.advice).toContain(advice);
  expect(await second).toEqual({
    code: 1,
    stdout: '',
    stderr: `furoshiki: ${problem}: waiting up to 10 s for it to stop\nfuroshiki: ${problem}: ${advice}\n`,
  });
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  expect(await first.stop()).toBe(0);
});

it('a second server starts as soon as the first one has stopped, and after a kill at once', async () => {
  const first = await startServerProcess({ DATA_DIR: folder });
  const waits = Promise.withResolvers<string>();
  const starting = startServerProcess({ DATA_DIR: folder }, waits.resolve);
  expect(await waits.promise).toContain('waiting');
  await first.stop();
  const second = await starting;
  await second.kill();
  expect(readdirSync(folder).filter((name) => name.startsWith('furoshiki.lock'))).toEqual(['furoshiki.lock']);
  expect(statSync(dataPaths(folder).lock)).toMatchObject({ size: 0, mode: 0o100600 });
  const third = await startServerProcess({ DATA_DIR: folder });
  expect(third.log()).not.toContain('waiting');
  await third.stop();
});

describe('with settings', () => {
  const bucket = { S3_BUCKET: 'bucket', S3_ENDPOINT: 'http://127.0.0.1:1', MAX_STORED_BYTES: '1GB' };
  const keys = { S3_ACCESS_KEY_ID: 'key', S3_SECRET_ACCESS_KEY: 'secret' };
  const DATABASE_URL = 'postgres://127.0.0.1:1/none';

  it.each<[string, Record<string, string>, RegExp]>([
    ['the bytes, it is locked', { DATABASE_URL }, /^another server uses DATA_DIR/u],
    ['the database, it is locked', { ...bucket, ...keys }, /^another server uses DATA_DIR/u],
    [
      'neither, it is not',
      { ...bucket, ...keys, DATABASE_URL, SECRET: 'x'.repeat(32) },
      /^the database of DATABASE_URL cannot be used/u,
    ],
  ])('if the folder keeps %s', async (_, settings, problem) => {
    const held = tryToLock(dataPaths(folder).lock);
    const config = readConfig({ DATA_DIR: folder, ...settings });
    await expect(openStores(config, { waitMs: 0 })).rejects.toThrowError(problem);
    held?.release();
  });

  it('a start that fails releases the lock', async () => {
    const config = readConfig({ DATA_DIR: folder, DATABASE_URL });
    await expect(openStores(config, { waitMs: 0 })).rejects.toThrowError('DATABASE_URL cannot be used');
    const held = tryToLock(dataPaths(folder).lock);
    expect(held).toBeDefined();
    held?.release();
  });
});
