// POST /batch/download: the grants and the stored bytes of many small files in one response, also if the bytes are in S3.
import {
  ACCESS_TOKEN_HEADER,
  API_PREFIX,
  type FrameHead,
  frameStart,
  type GrantedHead,
  LAST_FRAME,
  OWNER_TOKEN_HEADER,
  SMALL_FILES_PATH,
  smallFilesBody,
} from '@furoshiki/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { checkTokenOf, validated } from '../http/api-route.ts';
import { callerOf, headerOf } from '../http/client.ts';
import { errorResponseOf } from '../http/error-responses.ts';
import { countCall, rateLimitFor } from '../http/limits.ts';
import { sendBlocks } from '../http/send-stored-bytes.ts';
import type { Context } from '../services/context.ts';
import { takeGrantOf } from '../services/downloads.ts';
import { readSmallFiles, type TakeGrant } from '../services/small-files.ts';
import { countingRefusals } from './transfers.ts';

/** Not in the table because it sends bytes. Each file is checked, counted and refused as if it came alone. */
export function serveSmallFiles(app: FastifyInstance, context: Context): void {
  const config = { transfers: 'out', renewsCookie: true, ...rateLimitFor(app, 'smallFiles', 'part') } as const;
  app.post(API_PREFIX + SMALL_FILES_PATH, { config }, async (request, reply) => {
    checkTokenOf(request);
    const { ids } = validated('body', smallFilesBody, request.body);
    reply.headers({
      'cache-control': 'no-store',
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      // A proxy must pass it on as it comes: nginx would otherwise keep it.
      'x-accel-buffering': 'no',
    });
    return sendBlocks(request, reply, framesOf(request, context, ids));
  });
}

async function* framesOf(request: FastifyRequest, context: Context, ids: string[]): AsyncGenerator<Uint8Array> {
  for await (const one of readSmallFiles(context.objects, ids, grantsFor(request, context))) {
    if ('error' in one) {
      const head: FrameHead = { id: one.id, ...errorResponseOf(one.error, request) };
      yield frameStart(head, 0);
      continue;
    }
    const { id, file, size, blocks } = one;
    const body = { requiresDecryptionConfirmation: file.isEncrypted };
    let start: Uint8Array | undefined = frameStart({ id, status: 200, body } satisfies GrantedHead, size);
    for await (const block of blocks) {
      // One write for a small file.
      yield start ? Buffer.concat([start, block]) : block;
      start = undefined;
    }
  }
  yield LAST_FRAME;
}

function grantsFor(request: FastifyRequest, context: Context): TakeGrant {
  const proofs = {
    accessToken: headerOf(request, ACCESS_TOKEN_HEADER),
    ownerToken: headerOf(request, OWNER_TOKEN_HEADER),
  };
  const caller = callerOf(request);
  return (id, admit) =>
    countingRefusals(request, () =>
      takeGrantOf(context, id, proofs, caller, async (file) => {
        admit(file);
        // As the call of the grant, and as the request for the bytes.
        await countCall(request, 'takeGrant', 'download');
        await countCall(request, 'receivePart', 'part');
      }),
    );
}
