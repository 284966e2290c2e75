// The range of bytes that a request wants, as RFC 9110 defines it.
import { Failure } from '@furoshiki/api';
import type { FastifyReply, FastifyRequest } from 'fastify';

export interface ByteRange {
  start: number;
  /** Not included. */
  end: number;
}

/** Returns undefined for the whole. Throws RANGE_NOT_SATISFIABLE if the range is outside of the bytes. */
export function rangeOf({ method, headers }: FastifyRequest, reply: FastifyReply, etag: string, size: number) {
  const { range: header, 'if-range': condition } = headers;
  if (method !== 'GET' || header === undefined || (condition !== undefined && condition !== etag)) return undefined;
  const range = parse(header, size);
  if (!range || range.start < range.end) return range;
  reply.header('content-range', `bytes */${size}`);
  throw new Failure('RANGE_NOT_SATISFIABLE');
}

/** Ignores several ranges, other units and malformed ranges, as HTTP allows: the client then gets the whole. */
function parse(header: string, size: number): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/iu.exec(header) ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  // The last bytes, as many as the number says.
  if (first === '') return { start: Math.max(size - Number(last), 0), end: size };
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
