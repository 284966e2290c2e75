// Lists the stored parts of an upload, so that a client can verify it and resume it.
import type { ApiBody, ApiResponse } from '@furoshiki/api';
import type { Context } from '../context.ts';
import { findUpload } from './find-upload.ts';

export async function uploadStatus(
  context: Context,
  body: ApiBody<'uploadStatus'>,
): Promise<ApiResponse<'uploadStatus'>> {
  const { fileKey, uploadId } = await findUpload(context, body);
  const parts = await context.objects.listParts({ key: fileKey, uploadId });
  return { parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })) };
}
