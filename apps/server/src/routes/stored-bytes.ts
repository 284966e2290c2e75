// The signed PUT of a part and the signed, ranged GET of an object, for a store whose bytes pass through this server.
import { Failure, idSchema } from '@furoshiki/api';
import { MAX_PARTS } from '@furoshiki/format';
import type { FastifyInstance } from 'fastify';
import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { sendStoredBytes } from '../http/send-stored-bytes.ts';
import type { ServedStore } from '../ports/object-store.ts';
import type { Context } from '../services/context.ts';
import { assertGranted } from '../services/downloads.ts';
import { checkPartPath, checkReadPath, STORE_PREFIX } from '../signing.ts';

const urlSignature = { expires: z.coerce.number(), signature: z.string() };
const readRequest = z.object({ key: idSchema, client: z.string(), ...urlSignature });
const partRequest = z.object({
  key: idSchema,
  uploadId: z.string(),
  partNumber: z.coerce.number().check(z.positive(), z.maximum(MAX_PARTS)),
  offset: z.coerce.number(),
  length: z.coerce.number(),
  ...urlSignature,
});

export function serveStoredBytes(app: FastifyInstance, context: Context, store: ServedStore): void {
  // Bodies are never buffered: a body of any content type reaches the store as a stream.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));

  app.put(`${STORE_PREFIX}/:key/:partNumber`, { config: { transfers: 'in' } }, async (request, reply) => {
    const parsed = z.safeParse(partRequest, { ...(request.query as object), ...(request.params as object) });
    if (!parsed.success) throw new Failure('SIGNATURE_INVALID');
    const { expires, signature, ...part } = parsed.data;
    checkPartPath(app.signer, part, { expires, signature }, app.clock.nowMs());
    const announced = request.headers['content-length'];
    if (announced !== undefined && Number(announced) !== part.length) throw new Failure('PART_LENGTH_INVALID');
    const etag = await store.writePart(part, (request.body as Readable | undefined) ?? request.raw);
    return reply.header('etag', etag).send();
  });

  app.get(`${STORE_PREFIX}/:key`, { config: { transfers: 'out' } }, async (request, reply) => {
    const parsed = z.safeParse(readRequest, { ...(request.query as object), ...(request.params as object) });
    if (!parsed.success) throw new Failure('SIGNATURE_INVALID');
    const { key, client: clientHash, ...signature } = parsed.data;
    checkReadPath(app.signer, { key, clientHash }, signature, app.clock.nowMs());
    await assertGranted(context, { key, clientHash });
    return sendStoredBytes(request, reply, store, key);
  });
}
