// Makes an object readable by a signed URL of this server: such a URL needs a file with a grant.
import { newCompletion, newUpload } from './contracts/metadata-fixture.ts';
import { NO_LIMITS } from './no-limits.ts';
import { type Context, DAY_MS } from '../src/services/context.ts';

/** Returns the hash of the client that may read the object. */
export async function grantRead({ metadata, clock }: Context, key: string): Promise<string> {
  const nowMs = clock.nowMs();
  const reader = { clientHash: 'reader', nowMs };
  if (!(await metadata.findFileByKey(key, reader))) {
    const upload = newUpload({ fileKey: key });
    const expiresAtMs = nowMs + DAY_MS;
    await metadata.insertUpload(upload, NO_LIMITS);
    await metadata.completeUpload(key, newCompletion({ createdAtMs: nowMs, expiresAtMs }));
    await metadata.takeGrant(upload.id, reader, expiresAtMs, () => true);
  }
  return reader.clientHash;
}
