// What commands show: the progress of uploads and downloads, the note of the sender, dates and QR codes.
import {
  addSample,
  changedFiles,
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
import type { Tools } from './command.ts';

/** Returns the function that ends it. */
export function showUpload(
  { terminal, texts }: Pick<Tools, 'terminal' | 'texts'>,
  engine: UploadEngine<never>,
): () => void {
  const { live } = terminal;
  if (!live) return () => {};
  let speed = NO_SPEED;
  const unsubscribe = engine.subscribe(() => {
    const state = engine.getState();
    const progress = uploadProgress(state);
    if (!progress) return;
    const { fileName: name, overallPercent, loadedBytes, arrivedBytes, totalBytes } = progress;
    const { currentFile, totalFiles } = progress;
    const total = { bytes: totalBytes - arrivedBytes, files: totalFiles };
    speed = addSample(speed, { atMs: performance.now(), bytes: loadedBytes - arrivedBytes, files: currentFile - 1 });
    const isWaiting = 'isWaitingForNetwork' in state && state.isWaitingForNetwork;
    const file = { name, ...bytesOfCurrent(state) };
    const waiting = isWaiting ? texts.t('server.waiting') : undefined;
    live.show(() => {
      const all = { name: texts.t('progress.all'), percent: overallPercent, loadedBytes, totalBytes };
      const shown = [{ ...all, speed: { measured: speed, total } }];
      return progressLines(texts, totalFiles > 1 ? [file, ...shown] : shown, live.columns, waiting);
    });
  });
  return () => {
    unsubscribe();
    live.clear();
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
  /** Undefined if nothing is saved under a name. */
  paths: ReadonlyMap<string, string> | undefined,
): () => void {
  const { live } = terminal;
  const saved = new Set<string>();
  const totalBytes = wanted.reduce((sum, { fileSize }) => sum + fileSize, 0);
  let before = page.getState();
  let speed = NO_SPEED;
  let moved = { bytes: 0, atMs: performance.now() };

  function noteSaved(state: PageState): void {
    for (const id of changedFiles(before, state)) {
      if (fileStateOf(state, id).phase !== 'complete' || saved.has(id)) continue;
      saved.add(id);
      if (paths) terminal.note(texts.t('receive.saved', { name: shownName(paths.get(id) ?? '') }));
    }
    before = state;
  }

  /** Only ten times a second: it looks at all files. */
  function drawLines(columns: number): string[] {
    const state = page.getState();
    const atMs = performance.now();
    const running = wanted.flatMap(({ id }) => progressOf(state, id) ?? []);
    const loadedBytes = running.reduce((sum, file) => sum + Math.min(file.loadedBytes, file.totalBytes), 0);
    const arrivedBytes = running.reduce((sum, file) => sum + file.arrivedBytes, 0);
    const total = { bytes: totalBytes - arrivedBytes, files: wanted.length };
    speed = addSample(speed, { atMs, bytes: loadedBytes - arrivedBytes, files: saved.size });
    if (loadedBytes !== moved.bytes) moved = { bytes: loadedBytes, atMs };
    const stillSeconds = Math.floor((atMs - moved.atMs) / 1000);
    const percent = totalBytes === 0 ? 0 : (100 * loadedBytes) / totalBytes;
    const measured = { measured: speed, total };
    const all = { name: texts.t('progress.all'), percent, loadedBytes, totalBytes, speed: measured };
    const current = running
      .filter(({ isRunning }) => isRunning)
      .map((file) => ({ ...file, name: shownName(file.name) }));
    const waiting = state.isWaitingForNetwork
      ? texts.t('server.waiting')
      : stillSeconds >= STILL_SECONDS && current.length > 0
        ? texts.t('progress.noData', { seconds: stillSeconds })
        : undefined;
    return progressLines(texts, wanted.length > 1 ? [...current, all] : [all], columns, waiting);
  }

  const show = () => live?.show(() => drawLines(live.columns));
  // A line that brings nothing changes no state, and must be shown too.
  const ticking = live ? setInterval(show, 1000) : undefined;
  const unsubscribe = page.subscribe(() => {
    noteSaved(page.getState());
    show();
  });
  return () => {
    clearInterval(ticking);
    unsubscribe();
    live?.clear();
  };
}

/** After this time without a byte, a speed and a time left would be wrong. */
const STILL_SECONDS = 5;

function progressOf(state: PageState, id: string) {
  const file = fileStateOf(state, id);
  if (file.phase === 'choosing' || file.phase === 'queued' || file.phase === 'deleting') return undefined;
  const progress = downloadProgress(file);
  return progress && { ...progress, name: progress.fileName, isRunning: file.phase !== 'complete' };
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

/** Fixed colors, whatever those of the terminal are: some scanners do not read a code that is light on dark. */
export function blackOnWhite(code: string): string {
  return code
    .split('\n')
    .map((line) => `\u001B[38;5;231;48;5;16m${line}\u001B[0m`)
    .join('\n');
}
