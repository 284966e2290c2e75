import { describe, expect, it } from 'vitest';
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

it('prints an unexpected error in one line', async () => {
  expect(await run('stats')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'furoshiki-admin: TypeError: no tools at all\n',
  });
});
