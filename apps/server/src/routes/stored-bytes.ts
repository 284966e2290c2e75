// The signed PUT of a part and the signed, ranged GET of an object, for a store that this server serves itself.
import { Failure, idSchema, MAX_PARTS } from '@furoshiki/core';
import type { FastifyInstance } from 'fastify';
import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import type { ServedStore } from '../ports/object-store.ts';
import { checkPartPath, checkReadPath, STORE_PREFIX } from '../signed-paths.ts';

const seal = { expires: z.coerce.number(), signature: z.string() };
const readRequest = z.object({ key: idSchema, ...seal });
const partRequest = z.object({
  key: idSchema,
  partNumber: z.coerce.number().check(z.positive(), z.maximum(MAX_PARTS)),
  offset: z.coerce.number(),
  length: z.coerce.number(),
  ...seal,
});

export function serveStoredBytes(app: FastifyInstance, store: ServedStore): void {
  // Bodies are never buffered: whatever its type, a body reaches the store as the stream that it is.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, body, done) => done(null, body));

  app.put(`${STORE_PREFIX}/:key/:partNumber`, async (request, reply) => {
    const asked = z.safeParse(partRequest, { ...(request.params as object), ...(request.query as object) });
    if (!asked.success) throw new Failure('SIGNATURE_INVALID');
    const { expires, signature, ...part } = asked.data;
    checkPartPath(app.signer, part, { expires, signature }, app.clock.nowMs());
    const announced = request.headers['content-length'];
    if (announced !== undefined && Number(announced) !== part.length) throw new Failure('PART_LENGTH_INVALID');
    const etag = await store.writePart(part, (request.body as Readable | undefined) ?? request.raw);
    return reply.header('etag', etag).send();
  });

  app.get(`${STORE_PREFIX}/:key`, async (request, reply) => {
    const asked = z.safeParse(readRequest, { ...(request.params as object), ...(request.query as object) });
    if (!asked.success) throw new Failure('SIGNATURE_INVALID');
    const { key, ...given } = asked.data;
    checkReadPath(app.signer, key, given, app.clock.nowMs());
    const size = await store.sizeOf(key);
    const range = rangeOf(request.headers.range, size);
    const { start, end } = range ?? { start: 0, end: size };
    if (range) reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
    return (
      reply
        .header('accept-ranges', 'bytes')
        .header('content-length', end - start)
        // Octets to be saved, never a document that could run in our origin.
        .header('content-type', 'application/octet-stream')
        .header('content-disposition', 'attachment')
        .header('content-security-policy', "sandbox; default-src 'none'")
        .header('cache-control', 'no-store')
        .send(store.read(key, start, end))
    );
  });
}

/** One range of the form bytes=a-b or bytes=a-. Other forms are ignored, as HTTP allows. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const match = /^bytes=(\d+)-(\d*)$/u.exec(header ?? '');
  if (!match) return undefined;
  const start = Number(match[1]);
  const end = match[2] === '' ? size : Math.min(Number(match[2]) + 1, size);
  if (start >= end) throw new Failure('RANGE_NOT_SATISFIABLE');
  return { start, end };
}
