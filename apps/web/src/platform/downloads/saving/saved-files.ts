// Staged files that the browser was given in this tab. No page is told what became of them: a dialog may have been declined, a
// further download not been allowed, the disk been full. So each can be given once more, while the server may have none left.
import { saveAs } from './save-as.ts';
import type { StagedFile } from './staging.ts';

/** The browser copies a file in its own time, and nobody tells when it has. After so long, it has. */
const COPYING_MS = 30_000;
const SLOWEST_BYTES_PER_MS = 10_000;

interface Given {
  id: string;
  save(): void;
  copiedAtMs: number;
  remove(): Promise<void>;
}

const given: Given[] = [];

export function handOver(id: string, file: File, fileName: string, { remove }: StagedFile): void {
  const one: Given = {
    id,
    save() {
      one.copiedAtMs = performance.now() + COPYING_MS + file.size / SLOWEST_BYTES_PER_MS;
      saveAs(file, fileName);
    },
    copiedAtMs: Number.POSITIVE_INFINITY,
    remove,
  };
  if (given.length === 0) addEventListener('pagehide', removeCopied);
  given.push(one);
  one.save();
}

export function saveAgain(id: string): (() => void) | undefined {
  return given.findLast((one) => one.id === id)?.save;
}

/** Whatever is not removed with its tab, the next visit removes. */
function removeCopied({ persisted }: PageTransitionEvent): void {
  if (persisted) return;
  for (const { copiedAtMs, remove } of given) if (performance.now() > copiedAtMs) remove().catch(() => undefined);
}
