// stats: what is stored right now.
import type { Command } from '../command.ts';
import { formatBytes } from '../format-bytes.ts';

export const stats: Command = {
  argument: '',
  about: 'what is stored, and how much room is left',
  async run({ config, clock, openObjects, openMetadata }) {
    const { objects } = await openObjects();
    const metadata = await openMetadata();
    const { storedBytes, liveFiles, openUploads, doomedFiles } = await metadata.tally();
    const liveGrants = await metadata.countGrants(clock.nowMs());
    const maxStoredBytes = config.MAX_STORED_BYTES ?? null;
    const freeDiskBytes = (await objects.freeBytes()) ?? null;
    return {
      lines: [
        `live files: ${liveFiles}`,
        `uploads under way: ${openUploads}`,
        `doomed files: ${doomedFiles}`,
        `live grants: ${liveGrants}`,
        `stored: ${formatBytes(storedBytes)}`,
        `quota: ${maxStoredBytes === null ? 'none' : formatBytes(maxStoredBytes)}`,
        `free disk: ${freeDiskBytes === null ? 'unknown' : formatBytes(freeDiskBytes)}`,
      ],
      // Scripts of operators read these names.
      json: {
        storedBytes,
        liveFiles,
        uploadsUnderWay: openUploads,
        doomedFiles,
        liveGrants,
        maxStoredBytes,
        freeDiskBytes,
      },
    };
  },
};
