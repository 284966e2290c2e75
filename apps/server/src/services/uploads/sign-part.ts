// Returns a signed URL for one part. The signature binds the part's offset and length.
import { type ApiBody, type ApiResponse, storedRange } from '@furoshiki/core';
import { type Caller, type Context, SIGNED_URL_MS } from '../context.ts';
import { findOpenUpload } from './find-upload.ts';

export async function signPart(
  context: Context,
  { fileKey, uploadId, partNumber }: ApiBody<'presignPart'>,
  { siteUrl }: Caller,
): Promise<ApiResponse<'presignPart'>> {
  const { upload, plan } = await findOpenUpload(context, { fileKey, uploadId }, partNumber);
  const { start, length } = storedRange(plan, partNumber - 1, upload.isEncrypted);
  const presignedUrl = await context.objects.signPartUrl({
    key: fileKey,
    uploadId,
    partNumber,
    offset: start,
    length,
    siteUrl,
    expiresAtMs: context.clock.nowMs() + SIGNED_URL_MS,
  });
  return { presignedUrl };
}
