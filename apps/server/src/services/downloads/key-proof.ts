// The proof that a client has the key of a file: a token that only the key yields. The server stores only its hash.
import { createHash, timingSafeEqual } from 'node:crypto';
import { KEY_BYTES } from '@furoshiki/format';
import type { LiveFile } from '../../ports/metadata-store.ts';

/** True also for a file that needs no proof. Compares in constant time. */
export function provesKey({ accessCheck }: Pick<LiveFile, 'accessCheck'>, accessToken = ''): boolean {
  if (accessCheck === undefined) return true;
  const token = Buffer.from(accessToken, 'base64');
  // The decoder ignores characters that are not Base64.
  const isWellFormed = token.length === KEY_BYTES && token.toString('base64') === accessToken;
  const hash = createHash('sha256').update(token).digest();
  return isWellFormed && timingSafeEqual(hash, Buffer.from(accessCheck, 'base64'));
}
