// Answers with stored bytes, whole or in a range: octets to be saved, never a document that could run in our origin.
import { Failure } from '@furoshiki/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ObjectStore } from '../ports/object-store.ts';

export async function sendStoredBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  key: string,
): Promise<FastifyReply> {
  const size = await store.sizeOf(key);
  const range = rangeOf(request.headers.range, size);
  const { start, end } = range ?? { start: 0, end: size };
  const bytes = await store.read(key, start, end);
  if (range) reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
  return reply
    .header('accept-ranges', 'bytes')
    .header('content-length', end - start)
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', 'attachment')
    .header('cache-control', 'no-store')
    .send(bytes);
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
