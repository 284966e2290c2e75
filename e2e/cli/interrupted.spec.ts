// A client that is killed or stopped: the same command continues, and no incomplete file ever has its final name.
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliUser } from '../support/cli.ts';
import { IS_LONG } from '../support/long.ts';
import { ServerProcess } from '../support/server-process.ts';
import { sha256 } from '../support/user-actions.ts';
import { expect, test as base } from '../support/test.ts';

const MB = 1024 * 1024;
const PARTS = 5;
const BYTES = randomBytes((PARTS - 1) * 25 * MB + 12_345);
const KILLS = IS_LONG ? 50 : 3;
/** Chunks that are received at the same time. */
const DOWNLOAD_LANES = 2;

const test = base.extend<{ user: CliUser; logged: ServerProcess }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the dependencies of a fixture from this pattern
  logged: async ({}, provide) => {
    const logged = await ServerProcess.start({ LOG_LEVEL: 'info' });
    await provide(logged);
    await logged.discard();
  },
  user: async ({ logged }, provide) => {
    const user = await CliUser.create(logged.url);
    writeFileSync(user.path('big.bin'), BYTES);
    await provide(user);
    await user.discard();
  },
});

/** How many requests for stored bytes the server has answered, with this status. */
const transfersIn = ({ log }: ServerProcess, method: string, status: number) =>
  log
    .split('\n')
    .filter((line) => line.includes(`"${method}","route":"/store/`) && line.includes(`"status":${status},`)).length;

const journalsOf = (user: CliUser) => {
  const folder = user.path('.home/state/furoshiki/uploads');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
};

/** Looks often: the whole upload may take less than a second. */
const untilJournaled = (user: CliUser) => expect.poll(() => journalsOf(user), { intervals: [10] }).toHaveLength(1);

async function killAtRandom(user: CliUser, args: string[], input: string, maxMs: number): Promise<boolean> {
  const running = user.start(args, { input });
  const ended = once(running.process, 'exit');
  await Promise.race([sleep(randomInt(maxMs)), ended]);
  return running.process.kill('SIGKILL') && (await ended) && (await running.ended).exitCode !== 0;
}

test(`an upload that is killed ${KILLS} times is continued and sends nothing twice but what was in progress`, async ({
  user,
  logged,
}) => {
  test.setTimeout(IS_LONG ? 1_800_000 : 300_000);
  let kills = 0;
  for (let n = 0; n < KILLS; n += 1) if (await killAtRandom(user, ['send', 'big.bin', '--quiet'], '', 1500)) kills += 1;
  const { link, key } = await user.send(['big.bin', '--quiet']);
  const received = await user.run(['receive', link, '-o', 'in', '--quiet'], { input: key });
  expect([received.exitCode, received.stderr]).toEqual([0, '']);
  expect(sha256(readFileSync(user.path('in/big.bin')))).toBe(sha256(BYTES));
  expect(kills).toBeGreaterThan(0);
  // A part that is stored is never sent again, unless the client is killed before it has stored its first checkpoint.
  const uploads = 1 + KILLS - kills;
  expect(transfersIn(logged, 'PUT', 200)).toBeLessThanOrEqual(PARTS * uploads + kills);
  expect(journalsOf(user)).toEqual([]);
});

test(`downloads that are killed ${KILLS} times are continued, count once, and have their name only when they are whole`, async ({
  user,
  logged,
}) => {
  test.setTimeout(IS_LONG ? 1_800_000 : 300_000);
  let [kills, downloads] = [0, 0];
  while (kills < KILLS) {
    downloads += 1;
    const { link, key } = await user.send(['big.bin', '--downloads', '1', '--quiet']);
    const folder = `in-${downloads}`;
    const args = ['receive', link, '-o', folder, '--quiet'];
    while (kills < KILLS && (await killAtRandom(user, args, key, 1000))) kills += 1;
    if (!existsSync(user.path(folder, 'big.bin'))) {
      const { exitCode, stderr } = await user.run(args, { input: key });
      expect([exitCode, stderr]).toEqual([0, '']);
    }
    expect(sha256(readFileSync(user.path(folder, 'big.bin')))).toBe(sha256(BYTES));
    expect(readdirSync(user.path(folder))).toEqual(['big.bin']);
    rmSync(user.path(folder), { recursive: true });
  }
  expect(transfersIn(logged, 'GET', 206)).toBeLessThanOrEqual(PARTS * downloads + kills * DOWNLOAD_LANES);
});

test('Ctrl-C stops cleanly and says how to continue; the same command does', async ({ user }) => {
  const sending = user.start(['send', 'big.bin']);
  await untilJournaled(user);
  sending.process.kill('SIGINT');
  const stopped = await sending.ended;
  expect([stopped.exitCode, stopped.stdout.toString()]).toEqual([130, '']);
  expect(stopped.stderr).toContain('Run the same command again within 24 hours to continue.');
  const continued = await user.run(['send', 'big.bin']);
  expect([continued.exitCode, continued.stderr.split('\n')[0]]).toEqual([0, 'Continuing an interrupted upload.']);
  const [link = '', key = ''] = continued.stdout.toString().split('\n');

  const receiving = user.start(['receive', link, '-o', 'in'], { input: key });
  await expect.poll(() => existsSync(user.path('in/big.bin.part')), { intervals: [10] }).toBe(true);
  receiving.process.kill('SIGINT');
  const paused = await receiving.ended;
  if (paused.exitCode !== 0) {
    expect([paused.exitCode, paused.stderr.trimEnd().split('\n').at(-1)]).toEqual([
      130,
      'Stopped. Run the same command again to continue.',
    ]);
    expect((await user.run(['receive', link, '-o', 'in'], { input: key })).exitCode).toBe(0);
  }
  expect(sha256(readFileSync(user.path('in/big.bin')))).toBe(sha256(BYTES));
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
