// POST /upload/* and /batch/upload
import { UPLOAD_TOKEN_HEADER } from '@furoshiki/core';
import type { FastifyInstance } from 'fastify';
import { callerOf } from '../http/client.ts';
import { serveEndpoint } from '../http/serve-endpoint.ts';
import { completeUpload } from '../services/uploads/complete-upload.ts';
import type { Context } from '../services/context.ts';
import { groupFiles } from '../services/uploads/group-files.ts';
import { initUpload } from '../services/uploads/init-upload.ts';
import { completePart } from '../services/uploads/complete-part.ts';
import { cancelUpload } from '../services/uploads/cancel-upload.ts';
import { signPart } from '../services/uploads/sign-part.ts';
import { uploadStatus } from '../services/uploads/upload-status.ts';

export function serveUploads(app: FastifyInstance, context: Context): void {
  serveEndpoint(
    app,
    'initUpload',
    ({ body, request }) => {
      const token = request.headers[UPLOAD_TOKEN_HEADER];
      return initUpload(context, body, typeof token === 'string' ? token : undefined, callerOf(request));
    },
    'upload',
  );
  serveEndpoint(app, 'presignPart', ({ body, request }) => signPart(context, body, callerOf(request)));
  serveEndpoint(app, 'completePart', async ({ body }) => {
    await completePart(context, body);
    return { success: true };
  });
  serveEndpoint(app, 'uploadStatus', ({ body }) => uploadStatus(context, body));
  serveEndpoint(app, 'completeUpload', ({ body, request }) => completeUpload(context, body, callerOf(request)));
  serveEndpoint(app, 'cancelUpload', async ({ body }) => {
    await cancelUpload(context, body);
    return { success: true };
  });
  serveEndpoint(app, 'groupFiles', ({ body, request }) => groupFiles(context, body, callerOf(request)));
}
