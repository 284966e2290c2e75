import { PassThrough, Writable } from 'node:stream';
import { fileStatesOf, type PageEngine, type UploadEngine } from '@furoshiki/transfer';
import { afterEach, expect, it, vi } from 'vitest';
import { createTerminal, type Streams } from '../terminal/terminal.ts';
import { createTexts } from '../texts.ts';
import type { Tools } from './command.ts';
import { drawQr, showDownloads, showUpload } from './output.ts';

afterEach(() => void vi.useRealTimers());

let shown = '';

/** A terminal that keeps what was drawn last. */
async function drawing(): Promise<Tools> {
  vi.useFakeTimers();
  const stderr = new Writable({ write: (text, _, done) => ((shown = String(text)), done()) });
  Object.assign(stderr, { isTTY: true, columns: 100, rows: 24 });
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr } as unknown as Streams;
  const terminal = createTerminal(streams, { NO_COLOR: '1' });
  return { terminal, texts: createTexts('en') } as unknown as Tools;
}

it('a download that brings nothing for some seconds shows that it waits, and no speed', async () => {
  const tools = await drawing();
  const file = { fileName: 'a', isEncrypted: true, arrivedBytes: 0, fileSize: 100, chunkSize: 100, count: 1 };
  const state = (receivedBytes: number) => ({
    files: [],
    isWaitingForNetwork: false,
    states: fileStatesOf({ a: { phase: 'downloading', file, chunks: [{ step: 'receiving', receivedBytes }] } }),
  });
  let now = state(0);
  let onChange = () => {};
  const page = { getState: () => now, subscribe: (listener: () => void) => ((onChange = listener), () => {}) };
  const stop = showDownloads(tools, page as unknown as PageEngine, [{ id: 'a', fileSize: 100 }]);
  for (let received = 10; received <= 50; received += 10) {
    now = state(received);
    onChange();
    vi.advanceTimersByTime(500);
  }
  expect(shown).toContain('left');
  vi.advanceTimersByTime(7000);
  expect(shown).toMatch(/50%.*\nNo data for [67]\u00a0s\. Waiting…\n$/u);
  expect(shown).not.toContain('left');
  now = state(60);
  onChange();
  vi.advanceTimersByTime(200);
  expect(shown).not.toContain('Waiting');
  stop();
});

it('an upload that sends nothing for some seconds shows that it waits, too', async () => {
  const tools = await drawing();
  const plan = { fileSize: 100, paddedSize: 100, chunkSize: 100, count: 1 };
  const state = (sentBytes: number) => ({
    phase: 'uploading',
    files: [{ name: 'a', size: 100 }],
    fileIndex: 0,
    ahead: new Map(),
    totalBytes: 100,
    bytesBefore: 0,
    arrivedBytes: 0,
    plan,
    parts: [{ step: 'sending', sentBytes }],
    isWaitingForNetwork: false,
  });
  let now = state(10);
  let onChange = () => {};
  const engine = { getState: () => now, subscribe: (listener: () => void) => ((onChange = listener), () => {}) };
  const stop = showUpload(tools, engine as unknown as UploadEngine<never>);
  onChange();
  vi.advanceTimersByTime(4500);
  expect(shown).not.toContain('Waiting');
  vi.advanceTimersByTime(3000);
  expect(shown).toMatch(/\nNo data for [67]\u00a0s\. Waiting…\n$/u);
  now = state(60);
  onChange();
  vi.advanceTimersByTime(200);
  expect(shown).not.toContain('Waiting');
  stop();
});

it('a QR code has a light frame, and is dark on light', () => {
  const code = drawQr('https://files.example.org/download/8kCD');
  expect(code.split('\n')[0]).toMatch(/^█+$/u);
  expect(code).toMatch(/^[█▀▄ \n]+$/u);
});
