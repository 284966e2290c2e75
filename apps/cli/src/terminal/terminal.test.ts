import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createLiveLines, createTerminal, type Streams } from './terminal.ts';

type TerminalOptions = Parameters<typeof createTerminal>[2];

function terminalOf(columns: number, rows = 24) {
  let written = '';
  const stream = new Writable({
    write(text, _encoding, done) {
      written += String(text);
      done();
    },
  });
  const terminal = Object.assign(stream, { columns, rows });
  const take = () => {
    const text = written.replaceAll('\u001B', 'ESC');
    written = '';
    return text;
  };
  return { terminal, lines: createLiveLines(terminal, false), take };
}

describe('live lines', () => {
  it('are drawn again in their place, below what is logged', () => {
    const { lines, take } = terminalOf(80);
    lines.show(() => ['one', 'two']);
    expect(take()).toBe('one\ntwo\n');
    lines.log('Saved: a.txt');
    expect(take()).toBe('\rESC[2AESC[0JSaved: a.txt\none\ntwo\n');
    lines.clear();
    expect(take()).toBe('\rESC[2AESC[0J');
  });

  it('are drawn ten times a second at most', () => {
    vi.useFakeTimers();
    const { lines, take } = terminalOf(80);
    for (const text of ['1', '2', '3']) lines.show(() => [text]);
    expect(take()).toBe('1\n');
    vi.advanceTimersByTime(100);
    expect(take()).toBe('\rESC[1AESC[0J3\n');
    vi.useRealTimers();
  });

  it('take several rows if they are wider than the terminal, or it has become narrower', () => {
    const { terminal, lines, take } = terminalOf(20);
    lines.show(() => ['あいうえおかきくけこさ', 'short']);
    take();
    lines.log('x');
    expect(take()).toMatch(/^\rESC\[3AESC/u);
    terminal.columns = 10;
    lines.clear();
    expect(take()).toBe('\rESC[4AESC[0J');
  });

  it('are only as many as the terminal has rows', () => {
    const { lines, take } = terminalOf(80, 4);
    lines.show(() => ['1', '2', '3', '4', 'All']);
    expect(take()).toBe('3\n4\nAll\n');
  });
});

it('shows nothing of a secret, also if it is typed as soon as the question is there', async () => {
  let isRaw = false;
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (value: boolean) => (isRaw = value) });
  const shown: [string, boolean][] = [];
  const stderr = new Writable({
    write(text, _encoding, done) {
      shown.push([String(text), isRaw]);
      if (shown.length === 1) stdin.write('secret\r');
      done();
    },
  });
  const terminal = createTerminal({ stdin, stdout: new PassThrough(), stderr } as unknown as Streams, {});
  expect(await terminal.ask('Key: ', true)).toBe('secret');
  expect(shown).toEqual([
    ['Key: ', true],
    ['\n', false],
  ]);
});

it('prints no character of a name or text that controls a terminal, wherever it is printed', async () => {
  const EVIL = 'a\u001B[2Jb\u009Bc\u202Ed\u0007e\rf';
  const shown: string[] = [];
  const stream = () =>
    Object.assign(
      new Writable({
        write(text, _encoding, done) {
          shown.push(String(text));
          done();
        },
      }),
      { isTTY: true, columns: 80, rows: 24 },
    );
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const terminal = createTerminal({ stdin, stdout: stream(), stderr: stream() } as unknown as Streams, {
    NO_COLOR: '1',
  });
  terminal.print(EVIL);
  terminal.note(EVIL);
  terminal.error(EVIL);
  terminal.live?.show(() => [EVIL]);
  stdin.write('\r');
  await terminal.ask(EVIL, true);
  const ownSequence = '\r\u001B[1A\u001B[0J';
  const lines = shown.map((text) => text.replaceAll(ownSequence, '').trim()).filter((text) => text !== '');
  expect(lines).toEqual(Array<string>(5).fill('a_[2Jb_c_d_e_f'));
  shown.length = 0;
  terminal.printJson({ name: EVIL });
  expect(shown.join('')).toMatch(/^[\x20-\x7e\n]+$/u);
  expect(JSON.parse(shown.join(''))).toEqual({ name: EVIL });
});

describe('colors', () => {
  function shownBy(environment: NodeJS.ProcessEnv, options: TerminalOptions = {}, isTTY = true) {
    let shown = '';
    const stream = () => Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
    const streams = { stdin: new PassThrough(), stdout: stream(), stderr: stream() };
    for (const one of [streams.stdout, streams.stderr])
      one.on('data', (text: Buffer) => (shown += String(text).replaceAll('\u001B', 'ESC')));
    const terminal = createTerminal(streams as unknown as Streams, environment, options);
    terminal.print('a', 'cyan');
    terminal.error('b');
    terminal.printHelp('Options:\n  --c\n');
    terminal.printPicture('██', '\u001B[7m');
    terminal.live?.show(() => ['d ██░░']);
    terminal.live?.clear();
    return { shown, terminal };
  }

  it('are in a terminal', () => {
    const { shown, terminal } = shownBy({ TERM: 'xterm' });
    expect(shown).toContain('ESC[36maESC[39m\n');
    expect(shown).toContain('ESC[31mbESC[39m\n');
    expect(shown).toContain('ESC[1mOptions:ESC[22m\n  --c\n');
    expect(shown).toContain('ESC[7m██ESC[0m\n');
    expect(shown).toContain('d ESC[36m██░░ESC[39m\n');
    expect(terminal.isDecorated).toBe(true);
  });

  it.each([
    [{ NO_COLOR: '1' }, {}, true, true],
    [{ TERM: 'dumb' }, {}, true, false],
    [{}, { plain: true }, true, false],
    [{}, {}, false, false],
  ] as const)('are not there with %j %j, terminal: %j', (environment, options, isTTY, isDecorated) => {
    const { shown, terminal } = shownBy(environment, options, isTTY);
    expect(shown).not.toMatch(/ESC\[\d*m/u);
    expect(terminal.isDecorated).toBe(isDecorated);
    // Only a terminal whose cursor can be moved has lines that change.
    expect(terminal.live !== undefined).toBe(isDecorated);
  });
});
