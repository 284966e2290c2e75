// Conditions and ranges of a request (RFC 9110), for a response with an ETag.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '@furoshiki/api';

/**
 * If-Match and If-None-Match of a request, for a response with an ETag. Returns the status to respond with instead, if
 * a condition is not met.
 */
export function failedCondition({ headers }: FastifyRequest, etag: string): 304 | 412 | undefined {
  const { 'if-match': wanted, 'if-none-match': known } = headers;
  if (wanted !== undefined && !lists(wanted, etag)) return 412;
  if (known !== undefined && lists(known.replaceAll('W/', ''), etag)) return 304;
  return undefined;
}

function lists(tags: string, etag: string): boolean {
  return tags.trim() === '*' || [...tags.matchAll(/(?:W\/)?"[^"]*"/gu)].some(([tag]) => tag === etag);
}

interface ByteRange {
  start: number;
  /** Not included. */
  end: number;
}

/**
 * The range of bytes that a request wants, as RFC 9110 defines it. Returns undefined for the whole. Throws
 * RANGE_NOT_SATISFIABLE if the range is outside of the bytes.
 */
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
