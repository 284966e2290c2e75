// The server's half of the key to a resume record in a browser (ADR 10). It is bound to the cookie, and ends with the upload.
import { hash, randomBytes } from 'node:crypto';
import { type ApiResponse, Failure } from '@furoshiki/api';
import { KEY_BYTES } from '@furoshiki/format';
import { ABANDONED_AFTER_MS, type Caller, type Context, MAX_UPLOAD_AGE_MS, utcDay } from './context.ts';

/** Per client address and day: more than people behind one address need, and less than a megabyte of rows. */
const MAX_OF_ADDRESS = 1000;
const FULL_RETRY_SECONDS = 3600;

export async function createResumeSecret(
  { metadata, clock, newId, hashAddress }: Context,
  caller: Caller,
): Promise<ApiResponse<'createResumeSecret'>> {
  const nowMs = clock.nowMs();
  const id = newId();
  const secret = randomBytes(KEY_BYTES).toString('base64');
  const isAdded = await metadata.addResumeSecret(
    {
      idHash: idHashOf(id, caller),
      secret,
      addressHash: hashAddress(caller.address, utcDay(nowMs)),
      expiresAtMs: nowMs + ABANDONED_AFTER_MS,
      endsAtMs: nowMs + MAX_UPLOAD_AGE_MS,
    },
    MAX_OF_ADDRESS,
  );
  if (!isAdded) throw new Failure('RATE_LIMITED', { retryAfterSeconds: FULL_RETRY_SECONDS });
  return { id, secret };
}

/** Also renews it: a tab reads it from time to time while its upload runs. */
export async function readResumeSecret(
  { metadata, clock }: Context,
  id: string,
  caller: Caller,
): Promise<ApiResponse<'readResumeSecret'>> {
  const nowMs = clock.nowMs();
  const secret = await metadata.renewResumeSecret(idHashOf(id, caller), nowMs, nowMs + ABANDONED_AFTER_MS);
  if (secret === undefined) throw new Failure('NOT_FOUND');
  return { secret };
}

export async function dropResumeSecret({ metadata, clock }: Context, id: string, caller: Caller): Promise<void> {
  const isRemoved = await metadata.removeResumeSecret(idHashOf(id, caller), clock.nowMs());
  if (!isRemoved) throw new Failure('NOT_FOUND');
}

/** Binds the row to the cookie, and does not connect it with other rows of the same client. */
function idHashOf(id: string, { clientHash }: Caller): string {
  return hash('sha256', `${id} ${clientHash}`, 'base64url');
}
