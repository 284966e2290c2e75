// Limits the address and the headers of a request. Node limits both together, and for HTTP/1.1 only.
import { maxHeaderSize } from 'node:http';
import { Failure } from '@furoshiki/api';
import type { FastifyInstance } from 'fastify';

/** RFC 9110 recommends 8,000 at least. Less than Node's limit, so that a long address gets an error of its own, not the one of large headers. */
const MAX_URL_LENGTH = 8192;

export function limitRequestSize(app: FastifyInstance): void {
  app.addHook('onRequest', ({ originalUrl, raw }, _reply, done) => {
    if (originalUrl.length > MAX_URL_LENGTH) done(new Failure('URI_TOO_LONG'));
    else if (raw.httpVersionMajor > 1 && lengthOf(raw.rawHeaders) > maxHeaderSize)
      done(new Failure('HEADERS_TOO_LARGE'));
    else done();
  });
}

const lengthOf = (headers: string[]) => headers.reduce((sum, text) => sum + text.length, 0);
