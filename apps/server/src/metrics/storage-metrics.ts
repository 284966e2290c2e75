// Numbers about what is stored, asked of the database when somebody asks for the metrics.
import { Gauge, type Registry } from 'prom-client';
import type { Tally } from '../ports/metadata-store.ts';

const GAUGES: Record<keyof Tally, [name: string, help: string]> = {
  storedBytes: ['furoshiki_stored_bytes', 'Bytes that files take, those of uploads under way reserved.'],
  liveFiles: ['furoshiki_live_files', 'Files that can be downloaded.'],
  openUploads: ['furoshiki_uploads_under_way', 'Uploads that are not complete.'],
  doomedFiles: ['furoshiki_doomed_files', 'Files gone for everybody whose bytes are still to be removed.'],
};

/** The tally walks over no live file (see OperatorRecords), so being asked every few seconds is cheap however many there are. */
export function createStorageMetrics(registry: Registry, tally: () => Promise<Tally>): void {
  const ask = shared(() => tally().catch(() => undefined));
  for (const field of Object.keys(GAUGES) as (keyof Tally)[]) {
    const [name, help] = GAUGES[field];
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const told = await ask();
        // No number is better than an old one.
        if (told) gauge.set(told[field]);
        else gauge.remove();
      },
    });
  }
}

/** All who ask while an answer is on its way get that one. */
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };
}
