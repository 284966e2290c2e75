// Files go from browsers to the command line client and back, on both kinds of backends.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CliUser } from '../support/cli.ts';
import { downloadFile, openPage, pageFiles, send, sha256, sha256Of } from '../support/user-actions.ts';
import { expect, test as base } from '../support/test.ts';

const MB = 1024 * 1024;
const test = base.extend<{ user: CliUser }>({
  user: async ({ server }, provide) => {
    const user = await CliUser.create(server.url);
    await provide(user);
    await user.discard();
  },
});

const BIG = randomBytes(26 * MB);
const FILES = [
  { name: 'two parts.bin', mimeType: '', buffer: BIG },
  { name: 'メモ (1) & more?.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') },
  { name: 'CON', mimeType: '', buffer: Buffer.from('a device of Windows') },
];

function write(user: CliUser, name: string, bytes: Buffer): void {
  mkdirSync(dirname(user.path(name)), { recursive: true });
  writeFileSync(user.path(name), bytes);
}

test('what a browser sends, the client receives', { tag: '@backends' }, async ({ page, server, user }) => {
  const { link, key } = await send(page, server.url, FILES);
  const { exitCode, stderr } = await user.run(['receive', link, '-o', 'in'], { input: `${key}\n` });
  expect([exitCode, stderr]).toEqual([0, `Saved 3 files (26\u00a0MB) in ${user.path('in')}\n`]);
  const saved = ['two parts.bin', 'メモ (1) & more_.txt', '_CON'].map((name) =>
    sha256(readFileSync(user.path('in', name))),
  );
  expect(saved).toEqual(FILES.map(({ buffer }) => sha256(buffer)));
  expect(readdirSync(user.path('in'))).toHaveLength(3);
  expect((await pageFiles(server.url, link)).map((file) => file.currentDownloads)).toEqual([1, 1, 1]);
});

for (const hidden of [false, true]) {
  const title = hidden ? 'with hidden names' : 'with names';
  test(`what the client sends ${title}, a browser and the client receive`, { tag: '@backends' }, async ({
    page,
    server,
    user,
  }) => {
    for (const { name, buffer } of FILES) write(user, `out/${name}`, buffer);
    write(user, 'out/in/deep.txt', Buffer.from('deep'));
    const options = ['--downloads', '3', '--days', '2', '--message', 'Good luck', ...(hidden ? ['--hide-names'] : [])];
    const share = await user.send(['out', ...options]);
    const files = await pageFiles(server.url, share.link);
    expect(files).toHaveLength(4);
    expect(JSON.stringify(files).includes('deep.txt')).toBe(!hidden);
    await openPage(page, share);
    await expect(page.getByText('Good luck')).toBeVisible();
    const download = await downloadFile(page, 'out/two parts.bin');
    expect(await sha256Of(download)).toBe(sha256(BIG));
    await expect(page.getByRole('button', { name: 'Saved' })).toBeVisible();

    const { exitCode, stderr } = await user.run([
      'receive',
      `${share.link}#key=${encodeURIComponent(share.key)}`,
      '-o',
      'in',
    ]);
    const [note, ...rest] = stderr.split('\n');
    expect(note).toContain('in the process list');
    expect([exitCode, rest.slice(0, 2)]).toEqual([0, ['From the sender:', '  Good luck']]);
    expect(readFileSync(user.path('in/out/in/deep.txt'), 'utf8')).toBe('deep');
    expect(sha256(readFileSync(user.path('in/out/two parts.bin')))).toBe(sha256(BIG));
  });
}

test('standard input is sent, and one file is written to standard output', async ({ user }) => {
  const bytes = randomBytes(26 * MB);
  const share = await user.send(['-', '--name', 'backup.tar'], { input: bytes });
  const received = await user.run(['receive', share.link, '-o', '-', '--key', share.key]);
  expect([received.exitCode, sha256(received.stdout)]).toEqual([0, sha256(bytes)]);
  expect(received.stderr).toContain('in the process list');
  expect(readdirSync(user.folder)).toEqual(['.home']);
});

test('npm run cli, in a folder of a clone, means the paths of that folder', async ({ user }) => {
  write(user, 'README.md', Buffer.from('not that of the clone'));
  // npm sets both, and runs the script in the root of the clone.
  const environment = { ...user.environment, npm_lifecycle_event: 'cli', INIT_CWD: user.folder };
  const script = fileURLToPath(new URL('../../scripts/cli.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'send', 'README.md', '--link-with-key'], {
    cwd: dirname(script),
    env: environment,
  });
  const { stdout: received } = await user.run(['receive', stdout.trim(), '-o', '-', '-q']);
  expect(received.toString()).toBe('not that of the clone');
});

test('several files get a folder of their own, without hidden files and options', async ({ user }) => {
  const names = ['.bash_profile', '.ssh/authorized_keys', 'out/-rf'];
  for (const name of names) write(user, name, Buffer.from(name));
  const share = await user.send(['.bash_profile', '.ssh', 'out', '--title', '../Trip']);
  for (const folder of ['___Trip', '___Trip (2)']) {
    const { exitCode, stdout } = await user.run(['receive', share.link, '--json'], { input: share.key });
    const { saved } = JSON.parse(stdout.toString()) as { saved: { name: string; path: string }[] };
    expect([exitCode, saved.map(({ name }) => name)]).toEqual([0, names]);
    const paths = ['_bash_profile', '_ssh/authorized_keys', 'out/_rf'].map((path) => `${folder}/${path}`);
    expect(saved.map(({ path }) => path)).toEqual(paths);
    expect(paths.map((path) => readFileSync(user.path(path), 'utf8'))).toEqual(names);
  }
  const one = await user.run(['receive', share.link, '--file', '1'], { input: share.key });
  expect([one.exitCode, one.stderr.trimEnd().split('\n').at(-1)]).toEqual([0, `Saved: ${user.path('_bash_profile')}`]);
  expect(readdirSync(user.folder).toSorted()).toEqual(
    ['.bash_profile', '.home', '.ssh', '___Trip', '___Trip (2)', '_bash_profile', 'out'].toSorted(),
  );
});

test('info, delete and the result as JSON', async ({ server, user }) => {
  write(user, 'a.txt', Buffer.from('hello'));
  const { stdout } = await user.run(['send', 'a.txt', '--hide-names', '--json', '--quiet']);
  const { link, key } = JSON.parse(stdout.toString()) as { link: string; key: string };
  expect((await user.run(['info', link])).stdout.toString()).toMatch(
    /^1\. file-1 \(1\u00a0KB, 5 of 5 downloads left, until /u,
  );
  writeFileSync(user.path('key'), key);
  const shown = await user.run(['info', link, '--key-file', 'key', '--json']);
  expect(JSON.parse(shown.stdout.toString())).toMatchObject({
    files: [{ number: 1, name: 'a.txt', size: 5 }],
    missing: 0,
  });
  expect((await user.run(['delete', link])).exitCode).toBe(2);
  expect((await user.run(['delete', link, '--yes'])).exitCode).toBe(0);
  expect(await pageFiles(server.url, link)).toEqual([]);
  expect((await user.run(['delete', link, '--yes'])).exitCode).toBe(4);
});

test('what the client keeps is readable for its user only, and never has the key', async ({ user }) => {
  write(user, 'a.txt', Buffer.from('hello'));
  const { link, key } = await user.send(['a.txt']);
  await user.run(['receive', link, '-o', 'in'], { input: key });
  const kept = readdirSync(user.path('.home'), { recursive: true, withFileTypes: true });
  const files = kept.filter((entry) => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) {
    expect(statSync(file).mode & 0o077).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain(key);
  }
});
