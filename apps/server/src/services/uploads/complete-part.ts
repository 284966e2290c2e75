// Called after each part: keeps the upload from being swept as abandoned. Whether the part is stored is checked at the end.
import type { ApiBody } from '@furoshiki/core';
import { ABANDONED_AFTER_MS, type Context } from '../context.ts';
import { findOpenUpload } from './find-upload.ts';

export async function completePart(context: Context, body: ApiBody<'completePart'>): Promise<void> {
  const { upload } = await findOpenUpload(context, body, body.partNumber);
  await context.metadata.touchUpload(upload.fileKey, context.clock.nowMs() + ABANDONED_AFTER_MS);
}
