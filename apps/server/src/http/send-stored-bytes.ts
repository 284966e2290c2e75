// Sends stored bytes, all or a range, as an attachment: never as a document that could run in our origin.
import type { OutgoingHttpHeaders } from 'node:http';
import { Failure } from '@furoshiki/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cutOff } from './cut-off.ts';
import { allowedMs } from '../minimum-speed.ts';
import type { ObjectStore } from '../ports/object-store.ts';

export async function sendStoredBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ObjectStore,
  key: string,
): Promise<void> {
  const size = await store.sizeOf(key);
  const range = rangeOf(request.headers.range, size);
  const { start, end } = range ?? { start: 0, end: size };
  if (range) reply.status(206).header('content-range', `bytes ${start}-${end - 1}/${size}`);
  reply
    .header('accept-ranges', 'bytes')
    .header('content-length', end - start)
    .header('content-type', 'application/octet-stream')
    .header('content-disposition', 'attachment')
    .header('cache-control', 'no-store');
  // Not piped as a stream: a stream buffers blocks and so needs new memory for each one, at half the speed.
  const { raw } = reply.hijack();
  raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
  try {
    const write = writerTo(raw);
    for await (const block of store.read(key, start, end)) if (!(await write(block))) break;
    raw.end();
  } catch (error) {
    // The headers have been sent, so cutting the connection is the only way to report the error.
    request.log.error({ err: error }, 'could not send all stored bytes');
    cutOff(raw);
  }
}

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

/** Accepts one range of the form bytes=a-b or bytes=a-. Other forms are ignored, as HTTP allows. */
function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const match = /^bytes=(\d+)-(\d*)$/u.exec(header ?? '');
  if (!match) return undefined;
  const start = Number(match[1]);
  const end = match[2] === '' ? size : Math.min(Number(match[2]) + 1, size);
  if (start >= end) throw new Failure('RANGE_NOT_SATISFIABLE');
  return { start, end };
}
