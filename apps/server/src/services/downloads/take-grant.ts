// Gives a browser the right to download a file once, or renews the URL of a grant that it already holds.
import { type ApiResponse, Failure } from '@furoshiki/core';
import type { LiveFile } from '../../ports/metadata-store.ts';
import { type Caller, type Context, GRANT_MS, SIGNED_URL_MS } from '../context.ts';

export async function takeGrant(context: Context, id: string, caller: Caller): Promise<ApiResponse<'takeGrant'>> {
  const nowMs = context.clock.nowMs();
  const taking = await context.metadata.takeGrant(id, { clientHash: caller.clientHash, nowMs }, nowMs + GRANT_MS);
  if (taking.outcome !== 'granted') {
    throw new Failure(taking.outcome === 'not-found' ? 'NOT_FOUND' : 'DOWNLOAD_LIMIT_REACHED');
  }
  const { file } = taking;
  const presignedUrl = await context.objects.signReadUrl({
    key: file.fileKey,
    clientHash: caller.clientHash,
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
  { clientHash }: Caller,
): Promise<ApiResponse<'takeGrant'>> {
  const file = await context.metadata.findFile(id, { clientHash, nowMs: context.clock.nowMs() });
  if (!file) throw new Failure('NOT_FOUND');
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
