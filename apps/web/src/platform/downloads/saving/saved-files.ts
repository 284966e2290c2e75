// Staged files that were saved in this tab. The browser does not report whether saving worked: the user may have declined, a
// second download may be blocked, the disk may be full. So each can be saved again without the server.
import { saveAs } from './save-as.ts';
import type { StagedFile } from './staging.ts';
import type { ToSaver } from './stream-messages.ts';

/** The browser copies a file in the background and does not report the end. After this time it must have ended. */
const COPYING_MS = 30_000;
const SLOWEST_BYTES_PER_MS = 10_000;

interface SavedFile {
  id: string;
  save(): void;
  copiedAtMs: number;
  remove(): Promise<void>;
}

const savedFiles: SavedFile[] = [];

export function saveStaged(id: string, file: File, fileName: string, { remove }: StagedFile): void {
  const saved: SavedFile = {
    id,
    save() {
      saved.copiedAtMs = performance.now() + COPYING_MS + file.size / SLOWEST_BYTES_PER_MS;
      saveAs(file, fileName);
    },
    copiedAtMs: Number.POSITIVE_INFINITY,
    remove,
  };
  if (savedFiles.length === 0) addEventListener('pagehide', removeAll);
  savedFiles.push(saved);
  saved.save();
}

export function saveAgain(id: string): (() => void) | undefined {
  return savedFiles.findLast((saved) => saved.id === id)?.save;
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
