// Settings of limits that contradict each other.
import { type Config, StartError } from './config.ts';

export function assertLimits({ S3_BUCKET, MAX_STORED_BYTES, HIDE_NAMES, ALLOW_UNENCRYPTED }: Config): void {
  if (S3_BUCKET !== undefined && MAX_STORED_BYTES === undefined)
    throw new StartError(
      'MAX_STORED_BYTES must be set together with S3_BUCKET: a bucket is never full, only expensive',
    );
  if (HIDE_NAMES === 'always' && ALLOW_UNENCRYPTED)
    throw new StartError(
      'HIDE_NAMES=always and ALLOW_UNENCRYPTED=true contradict each other, because only encryption hides a name: ' +
        'remove one of them',
    );
}
