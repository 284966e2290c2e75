// GET, POST and DELETE /download/*
import { ACCESS_TOKEN_HEADER, API_PREFIX, Failure, fileParams } from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod/mini';
import type { ApiRoutes } from '../http/api-route.ts';
import { callerOf } from '../http/client.ts';
import { rateLimitFor } from '../http/rate-limits.ts';
import { sendStoredBytes } from '../http/send-stored-bytes.ts';
import type { Context } from '../services/context.ts';
import { deleteFile } from '../services/deletion.ts';
import { confirmDownload, getFileInfo, getPage, grantedKey, takeGrant, tryGrant } from '../services/downloads.ts';

export function downloadRoutes(context: Context) {
  return {
    page: { handle: ({ params, request }) => getPage(context, params.pageID, callerOf(request)), rateLimit: 'read' },
    fileInfo: {
      handle: ({ params, request }) => getFileInfo(context, params.id, callerOf(request)),
      rateLimit: 'read',
    },
    takeGrant: {
      async handle({ params, query, headers, request }) {
        assertAcceptsJson(request);
        const take = query.demo === 'true' ? tryGrant : takeGrant;
        return take(context, params.id, headers[ACCESS_TOKEN_HEADER], callerOf(request));
      },
      rateLimit: 'download',
      renewsCookie: true,
      refusesHead: true,
    },
    confirmDownload: {
      async handle({ params, request }) {
        await confirmDownload(context, params.id, callerOf(request));
        return { success: true };
      },
      rateLimit: 'download',
    },
    deleteFile: {
      async handle({ params }) {
        await deleteFile(context, params.id);
        return { success: true };
      },
      rateLimit: 'delete',
    },
  } satisfies Partial<ApiRoutes>;
}

/** Not in the table because it sends bytes: for a client that holds a grant and cannot reach the object store itself. */
export function serveGrantedBytes(app: FastifyInstance, context: Context): void {
  const config = { transfers: 'out', ...rateLimitFor(app, 'storedBytes', 'download') } as const;
  app.get(`${API_PREFIX}/download/file/:id`, { config }, async (request, reply) => {
    const params = z.safeParse(fileParams, request.params);
    if (!params.success) throw new Failure('NOT_FOUND');
    const key = await grantedKey(context, params.data.id, callerOf(request));
    return sendStoredBytes(request, reply, context.objects, key);
  });
}

/** Link previews, mail scanners and prefetches request pages, not JSON: this keeps them from using up a download. */
function assertAcceptsJson(request: FastifyRequest): void {
  if (!request.headers.accept?.includes('application/json')) throw new Failure('NOT_ACCEPTABLE');
}
