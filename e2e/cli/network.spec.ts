// The network fails while the client sends or receives: it says once that it waits, and continues.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../../apps/server/testing/tcp-proxy.ts';
import type { CliResult, RunningCli } from '../support/cli.ts';
import { beginOutage, test } from '../support/proxied-site.ts';
import { sha256 } from '../support/user-actions.ts';
import { expect } from '../support/test.ts';

const MB = 1024 * 1024;
const BYTES = randomBytes(120 * MB);
const WAITING = 'Can’t reach the server. Waiting…';
/** Cuts everything in the middle of the transfer, until the client has said that it waits, and has looked again. */
async function cutDuring(
  proxy: TcpProxy,
  direction: keyof TcpProxy['bytes'],
  { process: client, ended }: RunningCli,
): Promise<CliResult> {
  const before = proxy.bytes[direction];
  let shown = '';
  client.stderr?.on('data', (text: Buffer) => (shown += String(text)));
  while (proxy.bytes[direction] < before + BYTES.length / 3) await sleep(1);
  const outage = await beginOutage(proxy);
  await expect.poll(() => shown, { intervals: [50] }).toContain(WAITING);
  const refused = outage.refused();
  await expect.poll(outage.refused, { intervals: [50] }).toBeGreaterThan(refused);
  await outage.end();
  return ended;
}

test('a transfer continues after the network has failed', { tag: '@backends' }, async ({ user, site: { proxy } }) => {
  writeFileSync(user.path('big.bin'), BYTES);
  const sent = await cutDuring(proxy, 'toServer', user.start(['send', 'big.bin']));
  const [waiting, summary, ...rest] = sent.stderr.split('\n');
  expect([sent.exitCode, waiting, rest]).toEqual([0, WAITING, ['']]);
  expect(summary).toMatch(/^1 file \(120\u00a0MB\)/u);

  const [link = '', key = ''] = sent.stdout.toString().split('\n');
  const received = await cutDuring(proxy, 'toClient', user.start(['receive', link, '-o', 'in'], { input: key }));
  expect([received.exitCode, received.stderr]).toEqual([0, `${WAITING}\nSaved: ${user.path('in/big.bin')}\n`]);
  expect(sha256(readFileSync(user.path('in/big.bin')))).toBe(sha256(BYTES));
});

test('a line that breaks within every chunk delivers the file, and little of it twice', async ({
  user,
  site: { proxy },
}) => {
  const bytes = BYTES.subarray(0, 30 * MB);
  writeFileSync(user.path('big.bin'), bytes);
  const { link, key } = await user.send(['big.bin']);
  const before = proxy.bytes.toClient;
  // A chunk has 25 MB, and two are received at once.
  proxy.cutEveryBytes = 9 * MB;
  const received = await user.run(['receive', link, '-o', 'in'], { input: key });
  proxy.cutEveryBytes = Number.POSITIVE_INFINITY;
  expect([received.exitCode, received.stderr]).toEqual([
    0,
    expect.stringContaining(`Saved: ${user.path('in/big.bin')}\n`),
  ]);
  expect(readFileSync(user.path('in/big.bin')).equals(bytes)).toBe(true);
  expect(proxy.cuts).toBeGreaterThanOrEqual(3);
  // Each cut loses what is in the buffers of the sockets: a few megabytes on this machine.
  expect(proxy.bytes.toClient - before).toBeLessThan(2 * bytes.length);
});
