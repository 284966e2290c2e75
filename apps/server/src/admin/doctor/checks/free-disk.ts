// Checks that the disk has more free space than the reserve.
import { type Check, failed, ok, skipped } from '../finding.ts';
import { formatBytes } from '../../format-bytes.ts';

export const freeDisk: Check = {
  name: 'free disk',
  async run({ config, openObjects }) {
    const { objects } = await openObjects();
    const free = await objects.freeBytes().catch(() => undefined);
    if (free === undefined) return skipped('the storage does not report its free space');
    const kept = config.MIN_FREE_DISK_BYTES;
    if (free < kept)
      return failed(
        `only ${formatBytes(free)} are free and MIN_FREE_DISK_BYTES keeps ${formatBytes(kept)}: every upload is refused`,
        'make room on the disk, or lower MIN_FREE_DISK_BYTES',
      );
    return ok(`${formatBytes(free)} are free, ${formatBytes(kept)} of them stay so`);
  },
};
