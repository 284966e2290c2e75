// A client that is killed or stopped: the same command continues, and no incomplete file ever has its final name.
import { randomBytes, randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../../apps/server/testing/tcp-proxy.ts';
import type { CliUser } from '../support/cli.ts';
import { TEST_MS } from '../support/limits.ts';
import { IS_LONG } from '../support/long.ts';
import { test as base } from '../support/proxied-site.ts';
import { pageFiles, sha256 } from '../support/user-actions.ts';
import { expect } from '../support/test.ts';

const MB = 1024 * 1024;
const PARTS = IS_LONG ? 10 : 5;
const BYTES = randomBytes((PARTS - 1) * 25 * MB + 12_345);
const KILLS = IS_LONG ? 50 : 3;
const MAX_DELAY_MS = 100;
const KILLS_MS = IS_LONG ? 1_800_000 : TEST_MS;
/** Parts that are sent at the same time. */
const UPLOAD_LANES = 8;
/** Two chunks are received at the same time, while up to three are synced to the disk. */
const CHUNKS_IN_PROGRESS = 5;

const test = base.extend<{ user: CliUser }>({
  user: async ({ user }, provide) => {
    writeFileSync(user.path('big.bin'), BYTES);
    await provide(user);
  },
});

/** Returns a function that says how many requests the store has answered since, with this status. */
function countFrom({ responses }: TcpProxy, response: 'PUT 200' | 'GET 206'): () => number {
  const before = responses[response] ?? 0;
  return () => (responses[response] ?? 0) - before;
}

const journalsOf = (user: CliUser) => {
  const folder = user.path('.home/state/furoshiki/uploads');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
};

/** Looks often: the whole upload may take less than a second. */
const untilJournaled = (user: CliUser) => expect.poll(() => journalsOf(user), { intervals: [10] }).toHaveLength(1);

interface KillOptions {
  input?: string;
  proxy: TcpProxy;
  direction: keyof TcpProxy['bytes'];
  /** It is not killed before. */
  isReady?: () => boolean;
}

/**
 * Kills the client after a random number of bytes of the file have passed, and a random moment later, so that the end of a
 * transfer is met too. Returns whether it was killed: it may have ended before.
 */
async function killAtRandom(
  user: CliUser,
  args: string[],
  { input = '', proxy, direction, isReady = () => true }: KillOptions,
): Promise<boolean> {
  const target = proxy.bytes[direction] + randomInt(BYTES.length);
  const running = user.start(args, { input });
  while (running.process.exitCode === null && (proxy.bytes[direction] < target || !isReady())) await sleep(1);
  await sleep(randomInt(MAX_DELAY_MS));
  const isKilled = running.process.kill('SIGKILL');
  const { exitCode, stderr } = await running.ended;
  if (isKilled && exitCode === null) return true;
  expect([exitCode, stderr]).toEqual([0, '']);
  return false;
}

/** For a run of many kills, to be read by people. */
const print = (numbers: object) => IS_LONG && console.log(test.info().project.name, JSON.stringify(numbers));

test(`an upload that is killed ${KILLS} times is continued and sends nothing twice but what was in progress`, {
  tag: ['@long', '@backends'],
}, async ({ user, site: { proxy } }) => {
  test.setTimeout(KILLS_MS);
  const partsStored = countFrom(proxy, 'PUT 200');
  const startedBefore = proxy.parts;
  // Parts may be stored while the first journal is still being written. They are sent again if the client is killed then.
  const isReady = () => journalsOf(user).length > 0;
  let [kills, runs, uploads] = [0, 0, 1];
  while (kills < KILLS) {
    if (await killAtRandom(user, ['send', 'big.bin', '--quiet'], { proxy, direction: 'toServer', isReady })) kills += 1;
    runs += 1;
    // Most runs are killed. Without a journal none is.
    expect(runs, 'runs that write no journal').toBeLessThanOrEqual(20 * KILLS);
    // The upload was complete, so the next run begins another one.
    if (!isReady()) uploads += 1;
  }
  const { link, key } = await user.send(['big.bin', '--quiet']);
  const received = await user.run(['receive', link, '-o', 'in', '--quiet'], { input: key });
  expect([received.exitCode, received.stderr]).toEqual([0, '']);
  expect(sha256(readFileSync(user.path('in/big.bin')))).toBe(sha256(BYTES));
  const [started, stored] = [proxy.parts - startedBefore, partsStored()];
  print({ kills, uploads, parts: PARTS * uploads, started, stored });
  expect(started).toBeLessThanOrEqual(PARTS * uploads + kills * UPLOAD_LANES);
  // A part that is stored is not sent again, except one whose response was on its way.
  expect(stored).toBeLessThanOrEqual(PARTS * uploads + kills);
  expect(journalsOf(user)).toEqual([]);
});

test(`downloads that are killed ${KILLS} times are continued, count once, and have their name only when they are whole`, {
  tag: ['@long', '@backends'],
}, async ({ user, site: { proxy } }) => {
  test.setTimeout(KILLS_MS);
  const chunksSent = countFrom(proxy, 'GET 206');
  let [kills, downloads] = [0, 0];
  while (kills < KILLS) {
    downloads += 1;
    const { link, key } = await user.send(['big.bin', '--downloads', '1', '--quiet']);
    const folder = `in-${downloads}`;
    const args = ['receive', link, '-o', folder, '--quiet'];
    let isWhole = false;
    while (kills < KILLS && !isWhole) {
      if (await killAtRandom(user, args, { input: key, proxy, direction: 'toClient' })) kills += 1;
      else isWhole = true;
      const { size } = statSync(user.path(folder, 'big.bin'), { throwIfNoEntry: false }) ?? {};
      expect(isWhole ? [BYTES.length] : [BYTES.length, undefined]).toContain(size);
    }
    if (!isWhole) {
      const hasName = existsSync(user.path(folder, 'big.bin'));
      const { exitCode, stderr } = await user.run(args, { input: key });
      // A client that is killed at its very end has confirmed the only download: then the server has deleted the file.
      expect(hasName ? [0, 4] : [0], stderr).toContain(exitCode);
      expect(exitCode === 0 ? stderr : '').toBe('');
    }
    expect(sha256(readFileSync(user.path(folder, 'big.bin')))).toBe(sha256(BYTES));
    expect(readdirSync(user.path(folder))).toEqual(['big.bin']);
    rmSync(user.path(folder), { recursive: true });
  }
  const sent = chunksSent();
  print({ kills, downloads, chunks: PARTS * downloads, sent });
  expect(sent).toBeLessThanOrEqual(PARTS * downloads + kills * CHUNKS_IN_PROGRESS);
});

test('Ctrl-C stops cleanly and says how to continue; the same command does', async ({ user, site: { proxy } }) => {
  const sending = user.start(['send', 'big.bin']);
  await untilJournaled(user);
  sending.process.kill('SIGINT');
  const stopped = await sending.ended;
  expect([stopped.exitCode, stopped.stdout.toString()]).toEqual([130, '']);
  expect(stopped.stderr).toContain('Run the same command within 24\u00a0hours to resume.');
  const continued = await user.run(['send', 'big.bin']);
  expect([continued.exitCode, continued.stderr.split('\n')[0]]).toEqual([0, 'Resuming an interrupted upload.']);
  const [link = '', key = ''] = continued.stdout.toString().split('\n');

  const middle = proxy.bytes.toClient + BYTES.length / 2;
  const receiving = user.start(['receive', link, '-o', 'in'], { input: key });
  while (proxy.bytes.toClient < middle) await sleep(1);
  // So that it cannot end before the signal.
  proxy.freeze();
  receiving.process.kill('SIGINT');
  const paused = await receiving.ended;
  proxy.thaw();
  expect([paused.exitCode, paused.stderr.trimEnd().split('\n').at(-1)]).toEqual([
    130,
    'Stopped. Run the same command again to resume.',
  ]);
  expect(readdirSync(user.path('in'))).toContain('big.bin.part');
  expect((await user.run(['receive', link, '-o', 'in'], { input: key })).exitCode).toBe(0);
  expect(sha256(readFileSync(user.path('in/big.bin')))).toBe(sha256(BYTES));
});

test('a folder whose download was stopped is continued with the files that are missing', async ({ user, site }) => {
  const names = ['1.bin', '2.bin', '3.bin'];
  mkdirSync(user.path('out'));
  for (const name of names) writeFileSync(user.path('out', name), BYTES.subarray(0, 60 * MB));
  const { link, key } = await user.send(['out', '--downloads', '2']);
  const args = ['receive', link];
  const own = `furoshiki-${new URL(link).pathname.split('/').at(-1)?.slice(0, 8)}`;
  const receiving = user.start(args, { input: key });
  await expect.poll(() => existsSync(user.path(own, 'out/1.bin')), { intervals: [5] }).toBe(true);
  receiving.process.kill('SIGKILL');
  await receiving.ended;
  expect(existsSync(user.path(own, 'out/3.bin'))).toBe(false);

  const { exitCode, stderr } = await user.run(args, { input: key });
  expect([exitCode, stderr.split('\n')[0]]).toEqual([0, 'Resuming an interrupted download.']);
  for (const name of names) expect(statSync(user.path(own, 'out', name)).size).toBe(60 * MB);
  expect(readdirSync(user.path(own, 'out'))).toEqual(names);
  expect((await pageFiles(site.url, link)).map((file) => file.currentDownloads)).toEqual([1, 1, 1]);
  // Now it is complete, so the same command would receive it again, into another folder.
  expect((await user.run([...args, '-o', own], { input: key })).stderr).toContain('already exists');
  expect(readdirSync(user.folder).filter((name) => name.startsWith('furoshiki'))).toEqual([own]);
});

test('a file that has changed since is sent from its beginning', async ({ user }) => {
  const sending = user.start(['send', 'big.bin']);
  await untilJournaled(user);
  sending.process.kill('SIGKILL');
  await sending.ended;
  const other = Buffer.from('something else');
  rmSync(user.path('big.bin'));
  writeFileSync(user.path('big.bin'), other);
  const { link, key } = await user.send(['big.bin']);
  expect((await user.run(['receive', link, '-o', '-'], { input: key })).stdout.equals(other)).toBe(true);
});
