import { PassThrough, Writable } from 'node:stream';
import { fileStatesOf, type PageEngine } from '@furoshiki/transfer';
import { afterEach, expect, it, vi } from 'vitest';
import { createTerminal, type Streams } from '../terminal/terminal.ts';
import { createTexts } from '../texts.ts';
import type { Tools } from './command.ts';
import { blackOnWhite, drawQr, showDownloads } from './output.ts';

afterEach(() => void vi.useRealTimers());

it('a download that brings nothing for some seconds shows that it waits, and no speed', async () => {
  vi.useFakeTimers();
  let shown = '';
  const stderr = new Writable({ write: (text, _, done) => ((shown = String(text)), done()) });
  Object.assign(stderr, { isTTY: true, columns: 100, rows: 24 });
  const terminal = createTerminal(
    { stdin: new PassThrough(), stdout: new PassThrough(), stderr } as unknown as Streams,
    false,
  );
  const file = { fileName: 'a', isEncrypted: true, arrivedBytes: 0, fileSize: 100, chunkSize: 100, count: 1 };
  const state = (receivedBytes: number) => ({
    files: [],
    isWaitingForNetwork: false,
    states: fileStatesOf({ a: { phase: 'downloading', file, chunks: [{ step: 'receiving', receivedBytes }] } }),
  });
  let now = state(0);
  let onChange = () => {};
  const page = { getState: () => now, subscribe: (listener: () => void) => ((onChange = listener), () => {}) };
  const tools = { terminal, texts: await createTexts('en') } as unknown as Tools;
  const stop = showDownloads(tools, page as unknown as PageEngine, [{ id: 'a', fileSize: 100 }], undefined);
  for (let received = 10; received <= 50; received += 10) {
    now = state(received);
    onChange();
    vi.advanceTimersByTime(500);
  }
  expect(shown).toContain('left');
  vi.advanceTimersByTime(7000);
  expect(shown).toMatch(/50%.*\nNo data for [67] s\. Waiting…\n$/u);
  expect(shown).not.toContain('left');
  now = state(60);
  onChange();
  vi.advanceTimersByTime(200);
  expect(shown).not.toContain('Waiting');
  stop();
});

it('a QR code in a terminal is black on white, whatever its colors are', () => {
  const code = drawQr('https://files.example.org/download/8kCD');
  // Its frame is light.
  expect(code.split('\n')[0]).toMatch(/^█+$/u);
  for (const line of blackOnWhite(code).split('\n'))
    expect(line.replaceAll('\u001B', 'ESC')).toMatch(/^ESC\[38;5;231;48;5;16m[█▀▄ ]+ESC\[0m$/u);
});
