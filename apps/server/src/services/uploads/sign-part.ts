// Returns a signed URL for one part. The signature binds the part's offset and length.
import type { ApiBody, ApiResponse, UploadRef } from '@furoshiki/api';
import { type PartPlan, storedRange } from '@furoshiki/format';
import { type Caller, type Context, SIGNED_URL_MS } from '../context.ts';
import { findOpenUpload } from './find-upload.ts';

export async function signPart(
  context: Context,
  { fileKey, uploadId, partNumber }: ApiBody<'presignPart'>,
  caller: Caller,
): Promise<ApiResponse<'presignPart'>> {
  const found = await findOpenUpload(context, { fileKey, uploadId }, partNumber);
  return { presignedUrl: await signPartUrl(context, { ...found, partNumber }, caller) };
}

interface PartToSign {
  upload: UploadRef & { isEncrypted: boolean };
  plan: PartPlan;
  partNumber: number;
}

export function signPartUrl(
  context: Context,
  { upload, plan, partNumber }: PartToSign,
  { siteUrl }: Caller,
): Promise<string> {
  const { start, length } = storedRange(plan, partNumber - 1, upload.isEncrypted);
  return context.objects.signPartUrl({
    key: upload.fileKey,
    uploadId: upload.uploadId,
    partNumber,
    offset: start,
    length,
    siteUrl,
    expiresAtMs: context.clock.nowMs() + SIGNED_URL_MS,
  });
}
