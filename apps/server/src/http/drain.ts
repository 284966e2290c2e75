// Stops a server: sends its clients to other servers, finishes running requests, and cuts off stuck ones.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const CHECK_EVERY_MS = 100;

export interface DrainTimes {
  /**
   * How long the server still accepts connections after `GET /readyz` has begun to return 503, so that proxies notice it. A
   * connection that waits to be accepted when the port closes is reset, and a proxy cannot always hide that.
   */
  announceMs: number;
  /** When requests that are still running are cut off. */
  limitMs: number;
}

/** Must be called before the app listens. Returns a function that closes the app within `limitMs`. */
export function createDrain(app: FastifyInstance, { announceMs, limitMs }: DrainTimes): () => Promise<void> {
  // An HTTP/2 server has no method that closes all connections, so we keep a list of them.
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const leaveConnections = createLeaving(app);
  return async () => {
    const cutOff = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, limitMs);
    leaveConnections();
    if (announceMs > 0) await new Promise((resolve) => setTimeout(resolve, announceMs));
    // An HTTP/1.1 connection that was busy at the signal may stay open after its response, so idle connections are closed
    // repeatedly. An HTTP/2 session receives GOAWAY, which makes it safe to send a refused request again, and ends with
    // its last stream.
    const closeIdle = setInterval(() => app.server.closeIdleConnections(), CHECK_EVERY_MS);
    await app.close();
    clearInterval(closeIdle);
    clearTimeout(cutOff);
  };
}

/**
 * Returns a function after whose call each HTTP/1.1 response is the last one of its connection. A connection that its client
 * leaves is never reset under the next request, unlike one that we close.
 */
function createLeaving(app: FastifyInstance): () => void {
  const responses = new Set<ServerResponse>();
  let isLeaving = false;
  app.server.prependListener('request', ({ httpVersionMajor }: IncomingMessage, response: ServerResponse) => {
    if (httpVersionMajor > 1) return;
    if (isLeaving) response.setHeader('connection', 'close');
    responses.add(response);
    response.once('close', () => responses.delete(response));
  });
  return () => {
    isLeaving = true;
    for (const response of responses) if (!response.headersSent) response.setHeader('connection', 'close');
  };
}
