// GET, POST and DELETE /download/*
import { API_PREFIX, Failure, fileParams } from '@furoshiki/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import { callerOf } from '../http/client.ts';
import { sendStoredBytes } from '../http/send-stored-bytes.ts';
import { serveEndpoint } from '../http/serve-endpoint.ts';
import type { Context } from '../services/context.ts';
import { deleteFile } from '../services/deletion/delete-file.ts';
import { confirmDownload } from '../services/downloads/confirm-download.ts';
import { getFileInfo } from '../services/downloads/get-file-info.ts';
import { getPage } from '../services/downloads/get-page.ts';
import { grantedKey } from '../services/downloads/granted-key.ts';
import { takeGrant, tryGrant } from '../services/downloads/take-grant.ts';

export function serveDownloads(app: FastifyInstance, context: Context): void {
  serveEndpoint(app, 'page', ({ params, request }) => getPage(context, params.pageID, callerOf(request)));
  serveEndpoint(app, 'fileInfo', ({ params, request }) => getFileInfo(context, params.id, callerOf(request)));
  serveEndpoint(
    app,
    'takeGrant',
    async ({ params, query, request }) => {
      refuseUnlessAskedForJson(request);
      return (query.demo === 'true' ? tryGrant : takeGrant)(context, params.id, callerOf(request));
    },
    'download',
  );
  serveEndpoint(app, 'confirmDownload', async ({ params, request }) => {
    await confirmDownload(context, params.id, callerOf(request));
    return { success: true };
  });
  serveEndpoint(
    app,
    'deleteFile',
    async ({ params }) => {
      await deleteFile(context, params.id);
      return { success: true };
    },
    'delete',
  );

  // Outside of the table because it answers bytes: for a store that a browser cannot reach by itself.
  app.get(`${API_PREFIX}/download/file/:id`, { config: { transfers: 'out' } }, async (request, reply) => {
    const asked = z.safeParse(fileParams, request.params);
    if (!asked.success) throw new Failure('VALIDATION_FAILED');
    const key = await grantedKey(context, asked.data.id, callerOf(request));
    return sendStoredBytes(request, reply, context.objects, key);
  });
}

/** Link previews, mail scanners and prefetches ask for pages, not for JSON: they never spend a download. */
function refuseUnlessAskedForJson(request: FastifyRequest): void {
  if (!request.headers.accept?.includes('application/json')) throw new Failure('NOT_ACCEPTABLE');
}
