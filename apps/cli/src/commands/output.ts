// What commands show: the progress of uploads and downloads, the note of the sender, dates and QR codes.
import {
  addSample,
  downloadProgress,
  fileStateOf,
  isUploadRunning,
  missingCount,
  NO_SPEED,
  type PageEngine,
  type PageState,
  type ShownFile,
  type UploadEngine,
  uploadProgress,
  type UploadState,
} from '@furoshiki/transfer';
import { shownName } from '@furoshiki/format';
import { formatDateTime } from '@furoshiki/texts/format-date';
import { generate } from 'lean-qr';
import { type ProgressFacts, progressLines } from '../terminal/progress-line.ts';
import type { Texts } from '../texts.ts';
import type { LeftOut } from '../platform/files/local-files.ts';
import type { Tools } from './command.ts';

/** Returns the function that ends it. */
export function showUpload(
  { terminal, texts }: Pick<Tools, 'terminal' | 'texts'>,
  engine: UploadEngine<never>,
): () => void {
  const still = createStillness(texts);
  let speed = NO_SPEED;
  return showWhileRunning(terminal, engine, (columns) => {
    const state = engine.getState();
    const progress = uploadProgress(state);
    if (!progress) return [];
    const { fileName: name, overallPercent, loadedBytes, arrivedBytes, totalBytes } = progress;
    const { currentFile, totalFiles } = progress;
    const total = { bytes: totalBytes - arrivedBytes, files: totalFiles };
    speed = addSample(speed, { atMs: performance.now(), bytes: loadedBytes - arrivedBytes, files: currentFile - 1 });
    const isWaiting = 'isWaitingForNetwork' in state && state.isWaitingForNetwork;
    const file = { name, ...bytesOfCurrent(state) };
    const all = { name: texts.t('progress.all'), percent: overallPercent, loadedBytes, totalBytes };
    const shown = [{ ...all, speed: { measured: speed, total } }];
    return progressLines(texts, totalFiles > 1 ? [file, ...shown] : shown, columns, still(overallPercent, isWaiting));
  });
}

/** Draws the lines when something changes. Only ten times a second: to make them takes long if there are many files. */
function showWhileRunning(
  { live }: Pick<Tools['terminal'], 'live'>,
  engine: { subscribe(listener: () => void): () => void },
  drawLines: (columns: number) => string[],
): () => void {
  if (!live) return () => {};
  const show = () => live.show(() => drawLines(live.columns));
  // A line that brings nothing changes no state, and must be shown too.
  const ticking = setInterval(show, 1000);
  const unsubscribe = engine.subscribe(show);
  return () => {
    clearInterval(ticking);
    unsubscribe();
    live.clear();
  };
}

/** After this time without a byte, a speed and a time left would be wrong. */
const STILL_SECONDS = 5;

/** Returns what is waited for, if `amount` has not changed for some time. */
function createStillness(texts: Texts): (amount: number, isWaitingForNetwork: boolean) => string | undefined {
  let moved = { amount: 0, atMs: performance.now() };
  return (amount, isWaitingForNetwork) => {
    const atMs = performance.now();
    if (amount !== moved.amount) moved = { amount, atMs };
    if (isWaitingForNetwork) return texts.t('server.waiting');
    const seconds = Math.floor((atMs - moved.atMs) / 1000);
    return seconds >= STILL_SECONDS ? texts.t('progress.noData', { seconds }) : undefined;
  };
}

/** Its `filePercent` counts steps too, which would not fit the bytes beside it. */
function bytesOfCurrent(state: UploadState): Pick<ProgressFacts, 'percent' | 'loadedBytes' | 'totalBytes'> {
  if (!isUploadRunning(state)) return { percent: 0, loadedBytes: 0, totalBytes: 0 };
  const totalBytes = state.files[state.fileIndex]?.size ?? 0;
  const { loadedBytes = 0 } = uploadProgress({ ...state, ahead: new Map(), bytesBefore: 0 }) ?? {};
  return { percent: totalBytes === 0 ? 0 : (100 * loadedBytes) / totalBytes, loadedBytes, totalBytes };
}

/** Returns the function that ends it. */
export function showDownloads(
  { terminal, texts }: Tools,
  page: PageEngine,
  wanted: readonly Pick<ShownFile, 'id' | 'fileSize'>[],
): () => void {
  const still = createStillness(texts);
  const totalBytes = wanted.reduce((sum, { fileSize }) => sum + fileSize, 0);
  let speed = NO_SPEED;
  return showWhileRunning(terminal, page, (columns) => {
    const state = page.getState();
    const atMs = performance.now();
    const begun = wanted.flatMap(({ id }) => progressOf(state, id) ?? []);
    const loadedBytes = begun.reduce((sum, file) => sum + Math.min(file.loadedBytes, file.totalBytes), 0);
    const arrivedBytes = begun.reduce((sum, file) => sum + file.arrivedBytes, 0);
    const total = { bytes: totalBytes - arrivedBytes, files: wanted.length };
    const running = begun.filter(({ isRunning }) => isRunning);
    const files = begun.length - running.length;
    speed = addSample(speed, { atMs, bytes: loadedBytes - arrivedBytes, files });
    const percent = totalBytes === 0 ? 0 : (100 * loadedBytes) / totalBytes;
    const measured = { measured: speed, total };
    const all = { name: texts.t('progress.all'), percent, loadedBytes, totalBytes, speed: measured };
    const current = running.map((file) => ({ ...file, name: shownName(file.name) }));
    const waiting = still(loadedBytes + files, state.isWaitingForNetwork);
    return progressLines(texts, wanted.length > 1 ? [...current, all] : [all], columns, waiting);
  });
}

function progressOf(state: PageState, id: string) {
  const file = fileStateOf(state, id);
  if (file.phase === 'choosing' || file.phase === 'queued' || file.phase === 'deleting') return undefined;
  const progress = downloadProgress(file);
  return progress && { ...progress, name: progress.fileName, isRunning: file.phase !== 'complete' };
}

/** Of more than these, only the number is shown. */
const MAX_LEFT_OUT_LINES = 10;

/** What a folder contains and is not sent, or not restored. */
export function noteLeftOut({ terminal, texts }: Tools, leftOut: readonly LeftOut[]): void {
  for (const { shown, reason } of leftOut.slice(0, MAX_LEFT_OUT_LINES))
    terminal.note(texts.t('leftOut.line', { name: shownName(shown), reason: texts.t(`leftOut.${reason}`) }));
  const count = leftOut.length - MAX_LEFT_OUT_LINES;
  if (count > 0) terminal.note(texts.t('leftOut.more', { count }));
}

export function showNote({ terminal, texts }: Tools, state: PageState): void {
  const { title, message } = state.list ?? {};
  if (title !== undefined || message !== undefined) {
    terminal.note(texts.t('receive.from'));
    for (const text of [title, message])
      for (const line of text?.split('\n') ?? []) terminal.note(`  ${shownName(line)}`);
  }
  noteMissing({ terminal, texts }, state);
}

/** What the page in a browser says, too. Nothing is known without the key. */
function noteMissing({ terminal, texts }: Pick<Tools, 'terminal' | 'texts'>, state: PageState): void {
  const { files, list } = state;
  if (!files.some(({ format, opened }) => format === 2 && opened)) return;
  const missing = missingCount(state);
  if (missing === undefined) terminal.note(texts.screens('download.noList'));
  else if (!list)
    terminal.note(texts.screens('download.noListCounted', { here: files.length, total: files.length + missing }));
  else if (missing > 0) terminal.note(texts.t('receive.missing', { count: missing }));
}

/** The number of a file stays the same when others are used up, if the list of the sender is known. */
export function numberOfFile({ files, list }: PageState, index: number): number {
  const at = list?.files.indexOf(files[index]?.opened?.sealed.salt ?? '') ?? -1;
  return (at === -1 ? index : at) + 1;
}

export function formatDate(date: string | number, language: string): string {
  return formatDateTime(new Date(date), { language, dateStyle: 'medium' });
}

/** Scanners need an empty frame around the code. */
const FRAME = 2;
const BLOCKS = [' ', '▄', '▀', '█'] as const;

/** Half blocks make the modules of a QR code square in a terminal. Without colors it is light on dark, as most terminals are. */
export function drawQr(text: string): string {
  const code = generate(text);
  const isLight = (x: number, y: number) => !code.get(x, y);
  const lines: string[] = [];
  for (let y = -FRAME; y < code.size + FRAME; y += 2) {
    let line = '';
    for (let x = -FRAME; x < code.size + FRAME; x += 1)
      line += BLOCKS[(isLight(x, y) ? 2 : 0) + (isLight(x, y + 1) ? 1 : 0)] ?? ' ';
    lines.push(line);
  }
  return lines.join('\n');
}

/** White on black, so that the code is black on white: some scanners do not read one that is light on dark. */
export const QR_COLORS = '\u001B[38;5;231;48;5;16m';
