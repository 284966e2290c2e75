// Takes the notice that a part was sent. It keeps the upload from counting as abandoned; completing checks every part.
import type { ApiBody } from '@furoshiki/core';
import { ABANDONED_AFTER_MS, type Context } from '../context.ts';
import { findOpenUpload } from './open-upload.ts';

export async function notePart(context: Context, asked: ApiBody<'completePart'>): Promise<void> {
  const { upload } = await findOpenUpload(context, asked, asked.partNumber);
  await context.metadata.touchUpload(upload.fileKey, context.clock.nowMs() + ABANDONED_AFTER_MS);
}
