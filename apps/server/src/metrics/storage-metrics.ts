// Metrics of what is stored, read from the database when the metrics are requested.
import { Gauge, type Registry } from 'prom-client';
import type { Tally } from '../ports/metadata-store.ts';

const GAUGES: Record<keyof Tally, [name: string, help: string]> = {
  storedBytes: ['furoshiki_stored_bytes', 'Bytes that files take, those reserved for uploads in progress included.'],
  liveFiles: ['furoshiki_live_files', 'Files that can be downloaded.'],
  openUploads: ['furoshiki_uploads_under_way', 'Uploads that are not complete.'],
  doomedFiles: ['furoshiki_doomed_files', 'Files gone for everybody whose bytes are still to be removed.'],
  waitingMessages: [
    'furoshiki_outbox_messages',
    'Messages to the operator that are not mailed or removed yet, up to 1,000.',
  ],
};

/** The tally scans no live files (see OperatorRecords), so it is cheap even every few seconds and with many files. */
export function createStorageMetrics(registry: Registry, tally: () => Promise<Tally>): void {
  const readTally = shared(() => tally().catch(() => undefined));
  for (const field of Object.keys(GAUGES) as (keyof Tally)[]) {
    const [name, help] = GAUGES[field];
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const current = await readTally();
        // If the database fails, a missing number is better than an old one.
        if (current) gauge.set(current[field]);
        else gauge.remove();
      },
    });
  }
}

/** Concurrent callers share one running call. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}
