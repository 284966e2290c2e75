// Ends a request or a response half-way, so that its client cannot take it for complete.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';

/** Closes one stream of an HTTP/2 session, or an HTTP/1.1 connection. */
export function cutOff(raw: IncomingMessage | ServerResponse | Http2ServerRequest | Http2ServerResponse): void {
  // Without a code, the stream would end as if nothing had gone wrong.
  if ('stream' in raw) raw.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  else raw.destroy();
}
