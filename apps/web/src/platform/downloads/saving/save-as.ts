// Saves a complete file as a browser download.
import { safeFileName } from '@furoshiki/format';
import { createMutex } from '@furoshiki/transfer';

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
