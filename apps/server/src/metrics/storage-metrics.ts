// Metrics of what is stored and how much room is left, read from the stores when the metrics are requested.
import type { Registry } from 'prom-client';
import type { Tally } from '../ports/operator-records.ts';
import { orMissing, readGauge } from './read-gauge.ts';

export interface RoomSources {
  freeBytes(): Promise<number | undefined>;
  maxStoredBytes: number | undefined;
  minFreeDiskBytes: number;
}

const GAUGES: Record<keyof Tally, [name: string, help: string]> = {
  storedBytes: ['furoshiki_stored_bytes', 'Bytes that files take, those reserved for uploads in progress included.'],
  liveFiles: ['furoshiki_live_files', 'Files that can be downloaded.'],
  openUploads: ['furoshiki_uploads_under_way', 'Uploads that are not complete.'],
  doomedFiles: ['furoshiki_doomed_files', 'Files gone for everybody whose bytes are still to be removed.'],
  waitingMessages: [
    'furoshiki_outbox_messages',
    'Messages to the operator that are not mailed or removed yet, counted up to 1,000.',
  ],
};

/** The tally scans no live files (see OperatorRecords), so it is cheap even every few seconds and with many files. */
export function createStorageMetrics(registry: Registry, tally: () => Promise<Tally>): void {
  const readTally = orMissing(tally);
  for (const field of Object.keys(GAUGES) as (keyof Tally)[]) {
    const [name, help] = GAUGES[field];
    readGauge(registry, { name, help }, async () => (await readTally())?.[field]);
  }
}

export function createRoomMetrics(registry: Registry, room: RoomSources): void {
  const free = { name: 'furoshiki_storage_free_bytes', help: 'Free space of the disk with the stored bytes.' };
  readGauge(registry, free, orMissing(room.freeBytes));
  const reserve = { name: 'furoshiki_storage_reserve_bytes', help: 'Free space that uploads may not use.' };
  readGauge(registry, reserve, () => room.minFreeDiskBytes);
  const limit = { name: 'furoshiki_storage_limit_bytes', help: 'What all files together may take, if it is limited.' };
  readGauge(registry, limit, () => room.maxStoredBytes);
}
