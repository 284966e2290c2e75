// Whatever goes wrong, the client says it in one line, ends with the right code, and leaves nothing behind.
import { randomBytes } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { CliUser, type CliResult } from '../support/cli.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test as base } from '../support/test.ts';

const MB = 1024 * 1024;
const OTHER_KEY = randomBytes(32).toString('base64');
const test = base.extend<{ user: CliUser; share: { link: string; key: string } }>({
  user: async ({ server }, provide) => {
    const user = await CliUser.create(server.url);
    writeFileSync(user.path('a.txt'), 'hello');
    await provide(user);
    await user.discard();
  },
  share: async ({ user }, provide) => provide(await user.send(['a.txt', '--downloads', '1'])),
});

/** The last line is the error. */
const outcome = ({ exitCode, stderr }: CliResult) => [exitCode, stderr.trimEnd().split('\n').at(-1)];

test('usage', async ({ user }) => {
  for (const [args, line] of [
    [[], 'Which command? See: furoshiki --help'],
    [['sned'], 'Unknown command: “sned”. See: furoshiki --help'],
    [['send', 'a.txt', '--days', '4'], '--days must be a number from 1 to 3.'],
    [['send', 'a.txt', '--title', 'x'.repeat(281)], 'The title and the message can have up to 280 characters each.'],
    [['send', '-'], 'Standard input needs a name: --name <name>'],
    [['send', '-', 'a.txt'], 'Standard input (-) can’t be sent together with other files.'],
    [
      ['receive', 'https://example.org/'],
      'That’s not a download link. A link looks like https://files.example.org/download/…',
    ],
    [['server', 'example.org'], 'That’s not a server address. An address looks like https://files.example.org'],
  ] as const)
    expect(outcome(await user.run([...args]))).toEqual([2, `furoshiki: ${line}`]);
  const noServer = await user.run(['send', 'a.txt'], { environment: { FUROSHIKI_SERVER: '' } });
  expect(outcome(noServer)).toEqual([2, expect.stringContaining('No server is set.')]);
});

test('a private server, where people sign in or not', async ({ user }) => {
  const UPLOAD_TOKEN = '0123456789abcdef0123456789abcdef';
  for (const [SIGN_IN, line] of [
    ['false', 'This server is private. Set FUROSHIKI_UPLOAD_TOKEN to its upload token.'],
    [
      'true',
      'Senders have to sign in to this server, and that only works in a browser. To send from a terminal, set FUROSHIKI_UPLOAD_TOKEN to its upload token.',
    ],
  ] as const) {
    const own = await ServerProcess.start({ UPLOAD_TOKEN, SIGN_IN });
    const send = (token: string) =>
      user.run(['send', 'a.txt'], {
        environment: { FUROSHIKI_SERVER: own.url, FUROSHIKI_UPLOAD_TOKEN: token },
      });
    expect(outcome(await send(''))).toEqual([1, `furoshiki: ${line}`]);
    expect(outcome(await send('a guess'))).toEqual([
      1,
      'furoshiki: The server doesn’t accept this upload token (FUROSHIKI_UPLOAD_TOKEN).',
    ]);
    expect((await send(UPLOAD_TOKEN)).exitCode).toBe(0);
    await own.discard();
  }
});

test('files that cannot be sent', async ({ user, server }) => {
  writeFileSync(user.path('empty.txt'), '');
  mkdirSync(user.path('nothing'));
  const keysBefore = await server.storedKeys();
  for (const [args, line] of [
    [['missing.txt'], '“missing.txt” doesn’t exist.'],
    [['empty.txt'], '“empty.txt” is empty. Empty files can’t be sent.'],
    [['nothing'], 'No files to send.'],
    [['/dev/null'], '“/dev/null” is neither a file nor a folder.'],
  ] as const)
    expect(outcome(await user.run(['send', ...args]))).toEqual([1, `furoshiki: ${line}`]);
  expect(await server.storedKeys()).toEqual(keysBefore);
});

test('a file that changes while it is sent', async ({ user, server }) => {
  const keysBefore = await server.storedKeys();
  writeFileSync(user.path('log.txt'), randomBytes(60 * 1024 * 1024));
  const sending = user.start(['send', 'log.txt']);
  // Changes it all the time, because it is not known when it is read.
  const writing = setInterval(() => appendFileSync(user.path('log.txt'), 'x'), 5);
  const result = await sending.ended;
  clearInterval(writing);
  expect(outcome(result)).toEqual([
    1,
    'furoshiki: “log.txt” has changed or can no longer be read. The upload was stopped.',
  ]);
  expect(result.stdout.toString()).toBe('');
  await expect.poll(() => server.storedKeys()).toEqual(keysBefore);
});

test('a folder that disappears while it is sent, or while it is received into', async ({ user, server }) => {
  mkdirSync(user.path('out'));
  // More parts than are sent at once: an open file can still be read when it is gone.
  writeFileSync(user.path('out/big.bin'), 'x');
  truncateSync(user.path('out/big.bin'), 300 * 1024 * 1024);
  const { link, key } = await user.send(['out']);
  const receiving = user.start(['receive', link, '-o', 'in'], { input: key });
  await expect.poll(() => existsSync(user.path('in/out/big.bin.part')), { intervals: [5] }).toBe(true);
  rmSync(user.path('in'), { recursive: true });
  expect(outcome(await receiving.ended)).toEqual([1, 'furoshiki: Can’t save “out/big.bin” (ENOENT).']);
  expect(existsSync(user.path('in'))).toBe(false);

  const keysBefore = await server.storedKeys();
  const sending = user.start(['send', 'out', '--message', 'again']);
  await expect.poll(async () => (await server.storedKeys()).length, { intervals: [5] }).toBe(keysBefore.length + 1);
  rmSync(user.path('out'), { recursive: true });
  expect(outcome(await sending.ended)).toEqual([
    1,
    'furoshiki: “out/big.bin” has changed or can no longer be read. The upload was stopped.',
  ]);
  await expect.poll(() => server.storedKeys()).toEqual(keysBefore);
});

test('a disk that is full', async ({ user }) => {
  test.skip(process.getuid?.() !== 0, 'only root can mount a small disk');
  writeFileSync(user.path('big.bin'), randomBytes(10 * 1024 * 1024));
  const { link, key } = await user.send(['big.bin']);
  const small = user.path('small');
  mkdirSync(small);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', small]);
  try {
    const received = await user.run(['receive', link, '-o', 'small'], { input: key });
    expect(outcome(received)).toEqual([1, 'furoshiki: No space left for “big.bin”.']);
    const sent = await user.run(['send', '-', '--name', 'a.bin'], {
      input: randomBytes(10 * 1024 * 1024),
      environment: { TMPDIR: small },
    });
    expect(outcome(sent)).toEqual([1, `furoshiki: No space left in ${small}.`]);
    expect(readdirSync(small)).toEqual([]);
  } finally {
    execFileSync('umount', [small]);
  }
});

test('a wrong key, a link that is gone, and downloads that are used up', async ({ user, share }) => {
  const receive = (input: string, link = share.link) => user.run(['receive', link, '-o', 'in'], { input });
  expect(outcome(await receive(OTHER_KEY))).toEqual([3, 'furoshiki: That’s not the key for these files.']);
  expect(outcome(await receive('short'))).toEqual([3, expect.stringContaining('This key is incomplete')]);
  expect(outcome(await receive(''))).toEqual([3, expect.stringContaining('These files are encrypted.')]);
  const unknown = share.link.replace(/.{22}$/u, 'A'.repeat(22));
  expect(outcome(await receive(share.key, unknown))).toEqual([4, expect.stringContaining('These files are gone')]);
  expect(readdirSync(user.folder).toSorted()).toEqual(['.home', 'a.txt']);
  expect((await receive(share.key)).exitCode).toBe(0);
  expect(outcome(await receive(share.key))).toEqual([4, expect.stringContaining('These files are gone')]);
});

test('a target that exists, cannot be written, or would be outside of the folder', async ({ user, share }) => {
  const receive = (...args: string[]) => user.run(['receive', share.link, ...args], { input: share.key });
  expect(outcome(await receive())).toEqual([1, 'furoshiki: “a.txt” already exists. Use --force to replace it.']);
  expect(outcome(await receive('-o', 'a.txt'))).toEqual([
    1,
    expect.stringMatching(/Can’t use the folder .* \(EEXIST\)/u),
  ]);
  for (const folder of ['/dev/null/in', '/proc/in/deep'])
    expect(outcome(await receive('-o', folder))).toEqual([
      1,
      expect.stringMatching(/Can’t use the folder .* \(\w+\)/u),
    ]);
  expect((await receive('--force')).exitCode).toBe(0);
});

test('a name that would leave the folder is made safe', async ({ user }) => {
  mkdirSync(user.path('deep'));
  const share = await user.send(['-', '--name', '../../escape/..\\x.txt'], { input: 'hello' });
  const received = await user.run(['receive', share.link, '-o', 'deep/in'], { input: share.key });
  expect(received.exitCode).toBe(0);
  const found = readdirSync(user.folder, { recursive: true })
    .map(String)
    .filter((path) => path.endsWith('x.txt'));
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(/^deep\/in\//u);
});

test('a stored file that was damaged leaves nothing, and says what standard output already has', async ({ user }) => {
  const own = await ServerProcess.start();
  writeFileSync(user.path('big.bin'), 'x');
  // With two chunks at once, the first is written before the third is requested.
  truncateSync(user.path('big.bin'), 51 * MB);
  const { link, key } = await user.send(['big.bin', '--server', own.url]);
  const objects = `${own.dataDir}/objects`;
  const stored = readdirSync(objects, { recursive: true }).map(String);
  const path = `${objects}/${stored.find((name) => name.endsWith('data')) ?? ''}`;
  truncateSync(path, 50 * MB + 1000);

  const saved = await user.run(['receive', link, '-o', 'in/deep'], { input: key });
  expect(outcome(saved)).toEqual([1, expect.stringMatching(/^big\.bin: Decryption failed: .+ Nothing was saved\.$/u)]);
  expect(readdirSync(user.path('in/deep'))).toEqual([]);

  const written = await user.run(['receive', link, '-o', '-'], { input: key });
  expect(outcome(written)).toEqual([
    1,
    expect.stringMatching(
      /^(?:25|50)\u00a0MB of the file had already been written to standard output\. The rest is missing\.$/u,
    ),
  ]);
  expect([25 * MB, 50 * MB]).toContain(written.stdout.length);
  await own.discard();
});

test('no server, and a server that is something else', async ({ user, share }) => {
  const other: Server = createServer((_request, response) => response.end('<html>'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const link = new URL(new URL(share.link).pathname, url).href;
  const refusal = (reason: string) => [1, `furoshiki: Can’t reach a Furoshiki server at ${url}. ${reason}`];
  const commands = [
    ['server', url],
    ['send', 'a.txt', '--server', url],
    ['receive', link],
    ['info', link],
  ];
  for (const args of commands)
    expect(outcome(await user.run(args))).toEqual(refusal('Something else responds there. Is the path right?'));
  other.close();
  other.closeAllConnections();
  for (const args of commands)
    expect(outcome(await user.run(args))).toEqual(refusal('The connection was refused (ECONNREFUSED).'));
});

test('errors are in the language of the user', async ({ user }) => {
  const { stderr } = await user.run(['send', 'missing.txt'], { environment: { LANG: 'ja_JP.UTF-8' } });
  expect(stderr).toMatch(/^furoshiki: .*missing\.txt.*\p{Script=Hiragana}/u);
});

test('a folder without permission', async ({ user }) => {
  mkdirSync(user.path('closed'));
  writeFileSync(user.path('closed/a.txt'), 'x');
  chmodSync(user.path('closed'), 0);
  const { exitCode } = await user.run(['send', 'closed']);
  chmodSync(user.path('closed'), 0o700);
  // root may read everything.
  expect(exitCode).toBe(process.getuid?.() === 0 ? 0 : 1);
});
