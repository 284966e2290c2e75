// Saves complete files as browser downloads, and keeps them. The browser does not report whether saving worked: the
// user may have declined, a second download may be blocked, the disk may be full. So each can be saved again without
// the server.
import { MB, safeFileName } from '@furoshiki/format';
import { createMutex, type FileToSave } from '@furoshiki/transfer';
import type { ToSaver } from './stream-messages.ts';

/** The browser copies a file in the background and does not report the end. After this time it must have ended. */
const COPYING_MS = 30_000;
const SLOWEST_BYTES_PER_MS = 10_000;

/**
 * Files of one chunk up to this size are kept in memory, as long as all of them together have no more than the second size.
 * Such a file arrives whole or not at all, so a copy on the disk could not resume it.
 */
const MAX_BYTES_OF_ONE = 25 * MB;
const MAX_BYTES_IN_MEMORY = 64 * MB;

interface SavedFile {
  id: string;
  save(): Promise<void>;
  copiedAtMs: number;
  remove(): Promise<void>;
}

const savedFiles: SavedFile[] = [];
let bytesInMemory = 0;

export function fitsInMemory({ fileSize, chunkSize }: Pick<FileToSave, 'fileSize' | 'chunkSize'>): boolean {
  return fileSize <= Math.min(chunkSize, MAX_BYTES_OF_ONE) && bytesInMemory + fileSize <= MAX_BYTES_IN_MEMORY;
}

interface FileToKeep {
  id: string;
  content: Blob;
  fileName: string;
  /** Of its content. */
  bytesInMemory: number;
  remove(): Promise<void>;
}

/** Resolves when the browser has started to save the file. */
export function keepAndSave({ id, content, fileName, remove, ...file }: FileToKeep): Promise<void> {
  bytesInMemory += file.bytesInMemory;
  const saved: SavedFile = {
    id,
    save() {
      saved.copiedAtMs = performance.now() + COPYING_MS + content.size / SLOWEST_BYTES_PER_MS;
      return saveAs(content, fileName);
    },
    copiedAtMs: Number.POSITIVE_INFINITY,
    remove,
  };
  if (savedFiles.length === 0) addEventListener('pagehide', removeAll);
  savedFiles.push(saved);
  return saved.save();
}

export function saveAgain(id: string): (() => void) | undefined {
  const saved = savedFiles.findLast((file) => file.id === id);
  return saved && (() => void saved.save());
}

/** Files that the browser may still be copying are left to the service worker, and if that is ended, to the next visit. */
function removeAll({ persisted }: PageTransitionEvent): void {
  if (persisted) return;
  const nowMs = performance.now();
  for (const { copiedAtMs, remove } of savedFiles) if (nowMs > copiedAtMs) remove().catch(() => undefined);
  const afterMs = Math.max(0, ...savedFiles.map((saved) => saved.copiedAtMs - nowMs));
  if ('serviceWorker' in navigator)
    navigator.serviceWorker.controller?.postMessage({ type: 'removeStale', afterMs } satisfies ToSaver);
}

/** Chromium silently drops the eleventh download that a page starts within a second. */
const SAVES_PER_WINDOW = 9;
const WINDOW_MS = 1100;

const startedAtMs: number[] = [];
const inTurn = createMutex();

/** Resolves when the browser has started to save. If there were many just before, it waits for its turn. */
export function saveAs(content: Blob, fileName: string): Promise<void> {
  return inTurn(async () => {
    await waitForTurn();
    const url = URL.createObjectURL(new Blob([content], { type: 'application/octet-stream' }));
    followLink(url, safeFileName(fileName));
    // Long enough for the browser to open it. The Blob itself lives as long as it is read.
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  });
}

async function waitForTurn(): Promise<void> {
  const [first] = startedAtMs.length === SAVES_PER_WINDOW ? startedAtMs.splice(0, 1) : [];
  const waitMs = first === undefined ? 0 : first + WINDOW_MS - performance.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
  startedAtMs.push(performance.now());
}

export function followLink(url: string, download?: string): void {
  const link = document.createElement('a');
  link.href = url;
  if (download !== undefined) link.download = download;
  link.click();
}
