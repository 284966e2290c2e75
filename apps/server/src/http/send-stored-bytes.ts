// Sends stored bytes, all or a range, as an attachment: never as a document that could run in our origin. With the conditions
// and ranges of a request (RFC 9110), which pages have too.
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '@furoshiki/api';
import { allowedMs } from '../minimum-speed.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { StoreFailure } from '../ports/store-failures.ts';
import { cutOff } from './transport.ts';

export async function sendStoredBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  key: string,
): Promise<void> {
  const size = await store.sizeOf(key);
  // Stored bytes never change, and no other object gets this key.
  const etag = `"${key}"`;
  reply.headers({ etag, 'cache-control': 'no-store' });
  const failed = failedCondition(request, etag);
  // Fastify would announce an empty body for HEAD, and a 304 may only announce the length of the 200.
  if (failed === 304) return void reply.hijack().raw.writeHead(failed, headersOf(reply)).end();
  if (failed) return void reply.status(failed).send();
  const range = rangeOf(request, reply, etag, size);
  const { start, end } = range ?? { start: 0, end: size };
  if (range) reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
  reply.headers({
    'accept-ranges': 'bytes',
    'content-length': end - start,
    'content-type': 'application/octet-stream',
    'content-disposition': 'attachment',
  });
  if (request.method === 'HEAD') return void reply.hijack().raw.writeHead(reply.statusCode, headersOf(reply)).end();
  await sendBlocks(request, reply, store.read(key, start, end));
}

/** Sends the body of a response block by block. A block is not requested before the one before it was sent. */
export async function sendBlocks(
  request: FastifyRequest,
  reply: FastifyReply,
  blocks: AsyncIterable<Uint8Array>,
): Promise<void> {
  // Not piped as a stream: a stream buffers blocks and so needs new memory for each one, at half the speed.
  const { raw } = reply.hijack();
  raw.writeHead(reply.statusCode, headersOf(reply));
  try {
    const write = writerTo(raw);
    for await (const block of blocks) if (!(await write(block))) break;
    raw.end();
  } catch (error) {
    // The headers have been sent, so cutting the connection is the only way to report the error. The log of outages has a line
    // about a store that fails.
    if (!(error instanceof StoreFailure)) request.log.error({ err: error }, 'could not send all stored bytes');
    cutOff(raw);
  }
}

const headersOf = (reply: FastifyReply) => reply.getHeaders() as OutgoingHttpHeaders;

/**
 * Each write resolves when the block's memory may be reused: with true if it was sent, with false if the client is gone.
 * A client that receives too slowly is disconnected.
 */
function writerTo(raw: FastifyReply['raw']): (block: Uint8Array) => Promise<boolean> {
  let settle: (wasSent: boolean) => void = () => undefined;
  // Node never calls back for a write between the end of a connection and its close event.
  raw.once('close', () => settle(false));
  return (block) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => cutOff(raw), allowedMs(block.length));
      const settleThis = (wasSent: boolean) => {
        clearTimeout(timer);
        resolve(wasSent);
      };
      settle = settleThis;
      raw.write(block, (error) => settleThis(!error));
    });
}

/**
 * Conditions and ranges of a request (RFC 9110), for a response with an ETag. If-Match and If-None-Match of a request,
 * for a response with an ETag. Returns the status to respond with instead, if a condition is not met.
 */
export function failedCondition({ headers }: FastifyRequest, etag: string): 304 | 412 | undefined {
  const { 'if-match': wanted, 'if-none-match': known } = headers;
  if (wanted !== undefined && !listsEtag(wanted, etag)) return 412;
  if (known !== undefined && listsEtag(known.replaceAll('W/', ''), etag)) return 304;
  return undefined;
}

/** By hand: `fresh` does not read If-Match, and `send` keeps its reader to itself. */
function listsEtag(tags: string, etag: string): boolean {
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
function rangeOf({ method, headers }: FastifyRequest, reply: FastifyReply, etag: string, size: number) {
  const { range: header, 'if-range': condition } = headers;
  if (method !== 'GET' || header === undefined || (condition !== undefined && condition !== etag)) return undefined;
  const range = parseRange(header, size);
  if (!range || range.start < range.end) return range;
  reply.header('content-range', `bytes */${size}`);
  throw new Failure('RANGE_NOT_SATISFIABLE');
}

/**
 * Ignores several ranges, other units and malformed ranges, as HTTP allows: the client then gets the whole. By hand, because
 * range-parser takes `5-2` for unsatisfiable and `1x-2` for a range.
 */
function parseRange(header: string, size: number): ByteRange | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/iu.exec(header) ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  // The last bytes, as many as the number says.
  if (first === '') return { start: Math.max(size - Number(last), 0), end: size };
  const start = Number(first);
  if (last !== '' && Number(last) < start) return undefined;
  return { start, end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
