// Tells which parts are safely stored, so that a client can verify and go on.
import type { ApiResponse, ApiBody } from '@furoshiki/core';
import type { Context } from '../context.ts';
import { findUpload } from './open-upload.ts';

export async function uploadStatus(
  context: Context,
  asked: ApiBody<'uploadStatus'>,
): Promise<ApiResponse<'uploadStatus'>> {
  const { fileKey, uploadId } = await findUpload(context, asked);
  const parts = await context.objects.listParts({ key: fileKey, uploadId });
  return { parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })) };
}
