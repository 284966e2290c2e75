import { describe, expect, it } from 'vitest';
import type { Tools } from './command.ts';
import { runAdmin } from './run.ts';

const run = (...args: string[]) =>
  runAdmin(args, () => {
    throw new TypeError('no tools\nat all');
  });

describe('wrong usage', () => {
  it.each([
    [[], 'which command?'],
    [['constructor'], 'there is no command constructor'],
    [['stats', 'more'], 'stats does not take more'],
    [['stats', '--verbose'], 'stats does not take --verbose'],
    [['stats', '--fix'], 'stats does not take --fix'],
    [['take-down'], 'take-down needs <page id | file id | link>'],
    [['take-down', '--force'], 'take-down does not take --force'],
    [['take-down', 'a', 'b'], 'take-down does not take b'],
  ])('%j prints the usage and exits with 2', async (args, problem) => {
    const { exitCode, stdout, stderr } = await run(...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.startsWith(`furoshiki-admin: ${problem}\n\nusage: `)).toBe(true);
  });
});

it('accepts an id that begins like an option', async () => {
  for (const id of [`--${'a'.repeat(20)}`, `-${'a'.repeat(21)}`])
    expect((await run('take-down', id, '--json')).exitCode).toBe(1);
});

it('prints the usage on request', async () => {
  expect(await run('--help')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('take-down <page id') });
});

it('escapes what a terminal would obey, and keeps JSON intact', async () => {
  // C0, DEL, C1, overrides and isolates of the text direction, a line separator, and a format character of two units.
  const reason = 'a\u001b[2J\u007f\u009b31m\u202e\u2066\u200f\u2028\u{e0001}\nö 字';
  const listReports = async () => [{ id: 'id', pageId: 'page', reason, createdAtMs: 0 }];
  const tools = { openMetadata: async () => ({ listReports }) } as unknown as Tools;
  const { stdout } = await runAdmin(['reports'], () => tools);
  expect(stdout).toContain('"a\\u001b[2J\\u007f\\u009b31m\\u202e\\u2066\\u200f\\u2028\\udb40\\udc01\\nö 字"\n');
  const { stdout: json } = await runAdmin(['reports', '--json'], () => tools);
  expect(json).not.toMatch(/[^\P{C}\n]/u);
  expect(JSON.parse(json)).toEqual([{ id: 'id', pageId: 'page', reason, createdAtMs: 0 }]);
  const fail = () => Promise.reject(new Error('no \u009b31m'));
  const { stderr } = await runAdmin(['reports'], () => ({ openMetadata: fail }) as unknown as Tools);
  expect(stderr).toBe('furoshiki-admin: no \\u009b31m\n');
});

it('prints an unexpected error in one line', async () => {
  expect(await run('stats')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'furoshiki-admin: TypeError: no tools at all\n',
  });
});
