// The client in a real pseudo-terminal, and in a pipe.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { CliUser } from '../support/cli.ts';
import { expect, test as base } from '../support/test.ts';

const test = base.extend<{ user: CliUser }>({
  user: async ({ server }, provide) => {
    const user = await CliUser.create(server.url);
    writeFileSync(user.path('big.bin'), randomBytes(60 * 1024 * 1024));
    await provide(user);
    await user.discard();
  },
});

/** Runs the client in a terminal of 80 columns. */
class InTerminal {
  shown = '';
  readonly #script: ChildProcess;

  constructor(user: CliUser, args: string[]) {
    const command = `stty cols 80; exec ${user.commandLine(args)}`;
    // Waits for the program, writes at once, and keeps no record.
    this.#script = spawn('script', ['-qefc', command, '/dev/null'], { cwd: user.folder, env: user.environment });
    this.#script.stdout?.on('data', (text: Buffer) => (this.shown += String(text)));
  }

  type(text: string): void {
    this.#script.stdin?.write(text);
  }

  async ended(): Promise<number | null> {
    const [code] = (await once(this.#script, 'close')) as [number | null];
    return code;
  }
}

test('a terminal shows progress in place, asks for the key without showing it, and Ctrl-C works', async ({ user }) => {
  const sending = new InTerminal(user, ['send', 'big.bin']);
  expect(await sending.ended()).toBe(0);
  expect(stripVTControlCharacters(sending.shown)).toMatch(/[█░]{20} +\d+% [\d.]+\u00a0\w+ of 60\u00a0MB/u);
  expect(sending.shown).toContain('\u001B[1A\u001B[0J');
  for (const line of sending.shown.split(/[\r\n]+/u))
    expect(stripVTControlCharacters(line).length).toBeLessThanOrEqual(80);
  const [, link = '', key = ''] =
    /Link:\s+(http\S+)\s+Key:\s+(\S{44})/u.exec(stripVTControlCharacters(sending.shown)) ?? [];

  const receiving = new InTerminal(user, ['receive', link, '-o', 'in']);
  await expect.poll(() => receiving.shown).toContain('Key: ');
  receiving.type(`${key}\r`);
  expect(await receiving.ended()).toBe(0);
  expect(receiving.shown).not.toContain(key);
  expect(receiving.shown).toContain(`Saved: ${user.path('in/big.bin')}`);
  expect(readFileSync(user.path('in/big.bin')).equals(readFileSync(user.path('big.bin')))).toBe(true);

  const cancelled = new InTerminal(user, ['receive', link, '-o', 'other']);
  await expect.poll(() => cancelled.shown).toContain('Key: ');
  cancelled.type('\u0003');
  expect(await cancelled.ended()).toBe(130);
});

test('a file that could control the terminal is shown there only if that is forced', async ({ user }) => {
  writeFileSync(user.path('key'), '');
  const show = async (text: string, ...options: string[]) => {
    writeFileSync(user.path('a.txt'), text);
    const { link, key } = await user.send(['a.txt']);
    writeFileSync(user.path('key'), key);
    const terminal = new InTerminal(user, ['receive', link, '--key-file', 'key', '-o', '-', ...options]);
    return { code: await terminal.ended(), shown: terminal.shown };
  };
  expect(await show('plain\n')).toEqual({ code: 0, shown: 'plain\r\n' });
  const refused = await show('a\u001B]0;evil\u0007b');
  expect([refused.code, refused.shown]).toEqual([1, expect.stringContaining('This file isn’t plain text')]);
  expect(refused.shown).not.toContain('evil');
  expect((await show('a\u001B]0;evil\u0007b', '--force')).shown).toContain('\u001B]0;evil');
});

test('a pipe gets plain lines: the result in output, the rest in error', async ({ user }) => {
  const { stdout, stderr } = await user.run(['send', 'big.bin', '--qr']);
  const [link = '', key = '', ...qr] = stdout.toString().trimEnd().split('\n');
  expect([/^http\S+$/u.test(link), /^\S{44}$/u.test(key)]).toEqual([true, true]);
  expect(qr.join('')).toMatch(/^[█▀▄ ]+$/u);
  expect(stderr).toMatch(/^1 file \(60\u00a0MB\) can be downloaded up to 5× until .+\n$/u);
  expect(stdout.toString() + stderr).not.toContain('\u001B');
});
