import { describe, expect, it } from 'vitest';
import { CliError } from '../errors.ts';
import { commands } from './command-table.ts';
import { helpOf } from './help.ts';
import { type Call, numberOf, parseCommandLine } from './parse-args.ts';

const parse = (...words: string[]) => parseCommandLine(words) as Call;

function refusalOf(...words: string[]) {
  try {
    parseCommandLine(words);
  } catch (error) {
    if (error instanceof CliError) return [error.text, error.exitCode, error.values];
    throw error;
  }
  return undefined;
}

describe('a command line', () => {
  it('has options anywhere, long and short, with a space or an equals sign', () => {
    const call = parse('send', '-d', '2', 'a.txt', '--downloads=3', '--qr', 'folder', '-q');
    expect([call.command, call.arguments]).toEqual(['send', ['a.txt', 'folder']]);
    expect([call.text('days'), call.text('downloads'), call.isSet('qr'), call.isSet('quiet')]).toEqual([
      '2',
      '3',
      true,
      true,
    ]);
    expect([call.text('title'), call.isSet('json')]).toEqual([undefined, false]);
  });

  it('may have an option several times', () => {
    const call = parse('verify', 'a', '--connect', '1', '--connect=2', '--json', '--json');
    expect([call.texts('connect'), call.text('connect'), call.isSet('json')]).toEqual([['1', '2'], '2', true]);
    expect(call.texts('source')).toEqual([]);
  });

  it('may have a dash as a path, and anything after two dashes', () => {
    expect(parse('send', '-', '--name', 'a').arguments).toEqual(['-']);
    expect(parse('send', '--', '--days', '-x').arguments).toEqual(['--days', '-x']);
  });

  it.each([
    [[], 'usage.noCommand'],
    [['sent'], 'usage.unknownCommand'],
    [['constructor'], 'usage.unknownCommand'],
    [['send'], 'usage.missingArgument'],
    [['send', 'a', '--day', '1'], 'usage.unknownOption'],
    [['send', 'a', '-x'], 'usage.unknownOption'],
    [['send', 'a', '--days'], 'usage.missingValue'],
    [['send', 'a', '--qr=yes'], 'usage.surplusValue'],
    [['send', 'a', '--toString'], 'usage.unknownOption'],
    [['info', 'a', 'b'], 'usage.onlyTheLink'],
    [['delete', 'a', 'b'], 'usage.surplusArgument'],
  ])('%j is refused with %s and exit code 2', (words, text) => {
    expect(refusalOf(...words)?.slice(0, 2)).toEqual([text, 2]);
  });

  it.each(['0', '4', '1.5', 'two', '', '-1', '1e0', '٢'])('refuses %j as a number of days', (days) => {
    expect(() => numberOf(parse('send', 'a', `--days=${days}`), 'days', 1, 3)).toThrow('usage.badNumber');
  });
});

describe('help', () => {
  it.each([[['--help']], [['-h']], [['help']]])('is shown for %j', (words) => {
    expect(parseCommandLine(words)).toEqual({ help: 'all' });
  });

  it.each(Object.keys(commands) as (keyof typeof commands)[])(
    'of %s has all of its options, in lines of 80 columns, or fewer in a narrow terminal',
    (name) => {
      expect(parseCommandLine([name, '--help'])).toEqual({ help: name });
      expect(parseCommandLine(['help', name])).toEqual({ help: name });
      const text = helpOf(name);
      for (const option of Object.keys(commands[name].options)) expect(text).toContain(`--${option}`);
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
      const examples = new Set<string>(commands[name].examples.map((example) => `  ${example}`));
      const narrow = helpOf(name, 40).split('\n');
      expect(narrow.filter((line) => line.length > 40 && !examples.has(line))).toEqual([]);
      expect(helpOf('all')).toContain(`  ${name} `);
    },
  );
});
