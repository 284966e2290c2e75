// A backup and a restore that are stopped, killed, or meet a full disk. With real processes and real disks.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { backUp, freshScratch, keysOnDisk, restoreTo, rowsOf } from '../../testing/backups.ts';
import { canMount } from '../../testing/faults/disk-faults.ts';
import { runToExit, spawnEntry } from '../../testing/process.ts';
import { expectSameCause } from '../../testing/start-and-doctor.ts';
import { TestClient } from '../../testing/test-client.ts';
import { createTestServer, type TestServer } from '../../testing/test-server.ts';
import { dataPaths } from '../config/data-folder.ts';

const run = promisify(execFile);
const scratch = freshScratch();
let server: TestServer;
let client: TestClient;
beforeEach(async () => {
  server = await createTestServer();
  client = new TestClient(server);
});
afterEach(() => server.close());

const someBytes = (length = 2000) => new Uint8Array(randomBytes(length));

/** Runs an admin command and collects what it prints. */
function startAdmin(DATA_DIR: string, ...words: string[]) {
  const child = spawnEntry('admin', words, { DATA_DIR });
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += text));
  // It may end before it has read everything.
  child.stdin.on('error', () => undefined);
  const closed = once(child, 'close') as Promise<[number | null, string | null]>;
  return { child, exit: async () => ({ code: (await closed)[0], signal: (await closed)[1], stderr }) };
}

describe('a backup', () => {
  /** Replaces the bytes of files by pipes, at each of which a backup waits. */
  async function blockOnFiles(count: number): Promise<string[]> {
    const pipes: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const { fileKey } = await client.send(someBytes());
      pipes.push(join(server.folder, 'objects', fileKey.slice(0, 2), fileKey, 'data'));
    }
    for (const path of pipes) {
      await rm(path);
      await run('mkfifo', [path]);
    }
    return pipes.toSorted();
  }

  /** Lets a backup that waits at the pipe read nothing from it. Returns false if none waits there. */
  function unblock(path: string): boolean {
    try {
      closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
      return true;
    } catch {
      return false;
    }
  }

  async function untilWriting(): Promise<void> {
    const paths = [scratch('a.tar.part'), join(dataPaths(server.folder).backup, 'sums')];
    await expect.poll(() => paths.every((path) => existsSync(path))).toBe(true);
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('that %s stops leaves nothing behind', async (signal) => {
    const pipes = await blockOnFiles(5);
    const { child, exit } = startAdmin(server.folder, 'backup', scratch('a.tar'));
    await untilWriting();
    child.kill(signal);
    const ending = exit();
    // It sees the signal between two files.
    for (const path of pipes) await expect.poll(() => child.exitCode !== null || unblock(path)).toBe(true);
    expect(await ending).toEqual({ code: 1, signal: null, stderr: `furoshiki-admin: stopped by ${signal}\n` });
    expect(await readdir(scratch('.'))).toEqual([]);
    expect(existsSync(dataPaths(server.folder).backup)).toBe(false);
  });

  it('that is killed leaves no file with its name, and the next one works', async () => {
    const [pipe = ''] = await blockOnFiles(1);
    const { child, exit } = startAdmin(server.folder, 'backup', scratch('a.tar'));
    await untilWriting();
    child.kill('SIGKILL');
    expect(await exit()).toMatchObject({ code: null, signal: 'SIGKILL' });
    expect(await readdir(scratch('.'))).toEqual(['a.tar.part']);
    await rm(scratch('a.tar.part'));
    await rm(pipe);
    expect((await backUp(server.folder, scratch('a.tar'))).json).toMatchObject({ files: 0, lost: 1 });
    expect(existsSync(dataPaths(server.folder).backup)).toBe(false);
  });

  it('to stdout ends with an error if nobody reads it', async () => {
    await client.send(someBytes(1_000_000));
    const { child, exit } = startAdmin(server.folder, 'backup', '-');
    child.stdout.destroy();
    expect(await exit()).toMatchObject({ code: 1, stderr: expect.stringMatching(/^furoshiki-admin: .*EPIPE/u) });
    expect(existsSync(dataPaths(server.folder).backup)).toBe(false);
  });
});

describe('a restore', () => {
  let archive: Buffer;
  beforeEach(async () => {
    for (let n = 0; n < 3; n += 1) await client.send(someBytes(300_000));
    await backUp(server.folder, scratch('a.tar'));
    archive = await readFile(scratch('a.tar'));
  });

  /** Sends the first part of the archive to a restore, and waits until it has written some of it. */
  async function restoreHalf(share: number) {
    const admin = startAdmin(scratch('data'), 'restore', '-');
    admin.child.stdin.write(archive.subarray(0, archive.length * share));
    await expect.poll(() => keysOnDisk(scratch('data')).catch(() => [])).not.toEqual([]);
    return admin;
  }

  it('from stdin is complete', async () => {
    const { child, exit } = startAdmin(scratch('data'), 'restore', '-');
    child.stdin.end(archive);
    expect(await exit()).toMatchObject({ code: 0, stderr: '' });
    expect(rowsOf(scratch('data'), 'files')).toHaveLength(3);
  });

  it('that is killed leaves a folder on which no server starts, and can be repeated', async () => {
    const { child, exit } = await restoreHalf(0.6);
    child.kill('SIGKILL');
    await exit();
    const { advice } = await expectSameCause(
      { DATA_DIR: scratch('data') },
      /^a restore into DATA_DIR \S+ is under way or did not finish$/u,
    );
    expect(advice).toContain('run `restore` again');
    expect(existsSync(dataPaths(scratch('data')).database)).toBe(false);
    await restoreTo(scratch('data'), scratch('a.tar'));
    expect(rowsOf(scratch('data'), 'files')).toHaveLength(3);
    expect(await keysOnDisk(scratch('data'))).toHaveLength(3);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'that %s stops, or whose source ends, leaves an empty folder',
    async (signal) => {
      for (const [stop, reason] of [
        [(child: ReturnType<typeof spawnEntry>) => void child.kill(signal), `stopped by ${signal}`],
        [(child: ReturnType<typeof spawnEntry>) => void child.stdin.end(), 'it is cut off'],
      ] as const) {
        const { child, exit } = await restoreHalf(0.6);
        stop(child);
        expect(await exit()).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
        expect((await readdir(scratch('data'), { recursive: true })).toSorted()).toEqual(['furoshiki.lock', 'objects']);
      }
    },
  );

  it('keeps a server and another restore away while it runs', async () => {
    const { child, exit } = await restoreHalf(0.6);
    const second = await runToExit('admin', ['restore', scratch('a.tar')], { DATA_DIR: scratch('data') });
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('a server uses DATA_DIR') });
    const started = await runToExit('main', [], { DATA_DIR: scratch('data'), PORT: '0' });
    expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining('is under way or did not finish') });
    child.stdin.end(archive.subarray(archive.length * 0.6));
    expect(await exit()).toMatchObject({ code: 0 });
    expect(rowsOf(scratch('data'), 'files')).toHaveLength(3);
  });
});

// A container may forbid to mount a disk.
describe.skipIf(!(await canMount()))('on a full disk', () => {
  const disk = () => scratch('disk');
  beforeEach(async () => {
    await mkdir(disk());
    await run('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', disk()]);
    await client.send(someBytes(3_000_000));
  });
  afterEach(async () => {
    await run('umount', [disk()]);
    await rmdir(disk());
  });

  it('a backup says so and leaves nothing behind', async () => {
    const { code, stderr } = await runToExit('admin', ['backup', join(disk(), 'a.tar')], { DATA_DIR: server.folder });
    expect([code, stderr]).toEqual([
      1,
      `furoshiki-admin: ${disk()}/a.tar.part cannot be written (ENOSPC): its disk is full\n`,
    ]);
    expect(await readdir(disk())).toEqual([]);
    expect(existsSync(dataPaths(server.folder).backup)).toBe(false);
  });

  it('a restore says so and leaves an empty folder', async () => {
    await backUp(server.folder, scratch('a.tar'));
    const { code, stderr } = await runToExit('admin', ['restore', scratch('a.tar')], { DATA_DIR: disk() });
    expect([code, stderr]).toEqual([
      1,
      `furoshiki-admin: ${scratch('a.tar')} was not restored: DATA_DIR ${disk()} cannot be written (ENOSPC): its disk is full\n`,
    ]);
    expect((await readdir(disk(), { recursive: true })).toSorted()).toEqual(['furoshiki.lock', 'objects']);
  });
});
