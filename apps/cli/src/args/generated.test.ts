import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commands } from './command-table.ts';
import { completionsFor, SHELLS } from '../commands/completions.ts';
import { manPage } from './help.ts';

const folder = mkdtempSync(join(tmpdir(), 'furoshiki-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

function run(program: string, args: string[], input = '') {
  const { status, stdout, stderr } = spawnSync(program, args, { input, encoding: 'utf8' });
  return { status, stdout, stderr };
}

it.each(SHELLS)('completions for %s know every command and option', (shell) => {
  const text = completionsFor(shell);
  for (const [name, { options }] of Object.entries(commands)) {
    expect(text).toContain(name);
    for (const option of Object.keys(options))
      expect(text).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`);
  }
});

describe('bash', () => {
  const complete = (...words: string[]) => {
    const file = join(folder, 'completions.bash');
    writeFileSync(file, completionsFor('bash'));
    const script = `source '${file}'; COMP_WORDS=(furoshiki ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _furoshiki; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { status, stdout, stderr } = run('bash', ['--norc', '-c', script]);
    expect([status, stderr]).toEqual([0, '']);
    return stdout.trim().split('\n');
  };

  it('completes commands', () => expect(complete('re')).toEqual(['receive']));
  it.each([
    [
      ['send', '--days', ''],
      ['1', '2', '3'],
    ],
    [
      ['completions', ''],
      ['bash', 'zsh', 'fish'],
    ],
    // Left to bash, which quotes names with spaces.
    [['send', 'a'], ['']],
    [['receive', '--key-file', 'a'], ['']],
  ])('completes %j', (words, expected) => expect(complete(...words)).toEqual(expected));
  it('offers paths only where a path is meant', () => {
    const text = completionsFor('bash');
    expect(text).toContain('complete -o default -F _furoshiki furoshiki');
    for (const option of ['--title', '-n|--downloads', '--key', '--server'])
      expect(text).toContain(`${option}) compopt +o default; return ;;`);
    for (const option of ['--key-file', '-o|--output']) expect(text).toContain(`${option}) return ;;`);
  });
  it('completes the options of a command', () => expect(complete('send', '--d')).toEqual(['--days', '--downloads']));
});

it('the completions for zsh can be sourced, and offer paths only where a path is meant', () => {
  const text = completionsFor('zsh');
  expect(text).toMatch(/else\n {2}compdef _furoshiki furoshiki\nfi\n$/u);
  expect(text).toContain(':1 2 3:(1 2 3)');
  expect(text).toMatch(/--title\[[^\]]+\]:text: '/u);
  expect(text).toMatch(/--key-file\[[^\]]+\]:file:_files'/u);
});

it('the man page has every command, and no character that roff would take for a command', () => {
  const page = manPage('1.2.3');
  for (const [name, { options }] of Object.entries(commands)) {
    expect(page).toContain(`.SS furoshiki ${name}`);
    for (const option of Object.keys(options)) expect(page).toContain(`\\-\\-${option.replaceAll('-', '\\-')}`);
  }
  const lines = page.split('\n').filter((line) => /^[.']/u.test(line));
  expect(lines.filter((line) => !/^\.(?:TH|SH|SS|B|TP|PP|nf|fi)\b/u.test(line))).toEqual([]);
});
