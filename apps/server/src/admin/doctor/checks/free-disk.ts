// Checks that there is a limit to what is stored, and that the disk has more free space than the reserve.
import { type Check, failed, ok, skipped } from '../finding.ts';
import { formatBytes } from '../../format-bytes.ts';

export const freeDisk: Check = {
  name: 'free disk',
  async run({ config, objects }) {
    if (config.S3_BUCKET !== undefined && config.MAX_STORED_BYTES === undefined)
      return failed(
        'nothing limits what is stored in the bucket: anyone could make you pay for any amount, so the server does not start',
        'set MAX_STORED_BYTES, such as 500GB',
      );
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
