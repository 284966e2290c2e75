import { describe, expect, it } from 'vitest';
import { runAdmin } from './run.ts';

const run = (...words: string[]) =>
  runAdmin(words, () => {
    throw new TypeError('no tools\nat all');
  });

describe('words that are not understood', () => {
  it.each([
    [[], 'which command?'],
    [['constructor'], 'there is no command constructor'],
    [['stats', 'more'], 'stats does not take more'],
    [['stats', '--verbose'], 'stats does not take --verbose'],
    [['take-down'], 'take-down needs <page id | file id | link>'],
    [['take-down', '--force'], 'take-down does not take --force'],
    [['take-down', 'a', 'b'], 'take-down does not take b'],
  ])('%j answer the usage and 2', async (words, problem) => {
    const { exitCode, stdout, stderr } = await run(...words);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr.startsWith(`furoshiki-admin: ${problem}\n\nusage: `)).toBe(true);
  });
});

it('takes an id that begins like an option', async () => {
  expect((await run('take-down', `--${'a'.repeat(20)}`)).exitCode).toBe(1);
});

it('tells the usage to who asks for it', async () => {
  expect(await run('--help')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('take-down <page id') });
});

it('tells in one line what nobody foresaw', async () => {
  expect(await run('stats')).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'furoshiki-admin: TypeError: no tools at all\n',
  });
});
