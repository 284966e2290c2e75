// Gives a browser the right to download a file once, or renews the URL of a grant that it already holds.
import { type ApiResponse, Failure } from '@furoshiki/api';
import type { LiveFile } from '../../ports/metadata-store.ts';
import { type Caller, type Context, GRANT_MS, SIGNED_URL_MS } from '../context.ts';
import { provesKey } from './key-proof.ts';

const FAILURE_OF = {
  'not-found': 'NOT_FOUND',
  'not-allowed': 'KEY_PROOF_REQUIRED',
  'limit-reached': 'DOWNLOAD_LIMIT_REACHED',
} as const;

/** A renewal needs the proof of the key as well. */
export async function takeGrant(
  context: Context,
  id: string,
  accessToken: string | undefined,
  caller: Caller,
): Promise<ApiResponse<'takeGrant'>> {
  const nowMs = context.clock.nowMs();
  const { clientHash } = caller;
  const taking = await context.metadata.takeGrant(id, { clientHash, nowMs }, nowMs + GRANT_MS, (file) =>
    provesKey(file, accessToken),
  );
  if (taking.outcome !== 'granted') throw new Failure(FAILURE_OF[taking.outcome]);
  const { file } = taking;
  const presignedUrl = await context.objects.signReadUrl({
    key: file.fileKey,
    clientHash,
    siteUrl: caller.siteUrl,
    // An expired file must not be readable, so no URL outlives its file.
    expiresAtMs: Math.min(nowMs + SIGNED_URL_MS, file.expiresAtMs),
  });
  return grantResponse(file, presignedUrl);
}

/** A dry run: the same checks and fields, with an empty URL. No download is counted. */
export async function tryGrant(
  context: Context,
  id: string,
  accessToken: string | undefined,
  { clientHash }: Caller,
): Promise<ApiResponse<'takeGrant'>> {
  const file = await context.metadata.findFile(id, { clientHash, nowMs: context.clock.nowMs() });
  if (!file) throw new Failure('NOT_FOUND');
  if (!provesKey(file, accessToken)) throw new Failure('KEY_PROOF_REQUIRED');
  if (file.currentDownloads >= file.maxDownloads && !file.granted) throw new Failure('DOWNLOAD_LIMIT_REACHED');
  return grantResponse(file, '');
}

function grantResponse(file: LiveFile, presignedUrl: string): ApiResponse<'takeGrant'> {
  return {
    presignedUrl,
    fileName: file.fileName,
    contentType: file.contentType,
    requiresDecryptionConfirmation: file.isEncrypted,
  };
}
