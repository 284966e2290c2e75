// stats: what is stored right now.
import type { Command } from '../command.ts';
import { inUnits } from '../sizes.ts';

export const stats: Command = {
  argument: '',
  about: 'what is stored, and how much room is left',
  async run({ config, clock, objects, openMetadata }) {
    const metadata = await openMetadata();
    const tally = await metadata.tally();
    const liveGrants = await metadata.countGrants(clock.nowMs());
    const maxStoredBytes = config.MAX_STORED_BYTES ?? null;
    const freeDiskBytes = (await objects.freeBytes()) ?? null;
    return {
      lines: [
        `live files: ${tally.liveFiles}`,
        `uploads under way: ${tally.uploadsUnderWay}`,
        `doomed files: ${tally.doomedFiles}`,
        `live grants: ${liveGrants}`,
        `stored: ${inUnits(tally.storedBytes)}`,
        `quota: ${maxStoredBytes === null ? 'none' : inUnits(maxStoredBytes)}`,
        `free disk: ${freeDiskBytes === null ? 'unknown' : inUnits(freeDiskBytes)}`,
      ],
      json: { ...tally, liveGrants, maxStoredBytes, freeDiskBytes },
    };
  },
};
