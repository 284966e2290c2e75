// Hands out the URL that takes one part, bound to that part's place and length.
import { type ApiResponse, type ApiBody, storedRange } from '@furoshiki/core';
import { type Caller, type Context, SIGNED_URL_MS } from '../context.ts';
import { findOpenUpload } from './open-upload.ts';

export async function signPart(
  context: Context,
  asked: ApiBody<'presignPart'>,
  { siteUrl }: Caller,
): Promise<ApiResponse<'presignPart'>> {
  const { upload, plan } = await findOpenUpload(context, asked, asked.partNumber);
  const { start, length } = storedRange(plan, asked.partNumber - 1, upload.isEncrypted);
  const presignedUrl = await context.objects.signPartUrl({
    key: upload.fileKey,
    uploadId: upload.uploadId,
    partNumber: asked.partNumber,
    offset: start,
    length,
    siteUrl,
    expiresAtMs: context.clock.nowMs() + SIGNED_URL_MS,
  });
  return { presignedUrl };
}
