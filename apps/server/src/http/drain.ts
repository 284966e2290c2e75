// Stops a server: finishes running requests, closes idle connections, and cuts off stuck ones.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const CHECK_EVERY_MS = 100;

/** Must be called before the app listens. Returns a function that closes the app within `limitMs`. */
export function createDrain(app: FastifyInstance, limitMs: number): () => Promise<void> {
  // An HTTP/2 server has no method that closes all connections, so we keep a list of them.
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async () => {
    const cutOff = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, limitMs);
    // An HTTP/1.1 connection that was busy at the signal stays open after its response, so idle connections are closed
    // repeatedly. An HTTP/2 session has received GOAWAY and ends with its last stream.
    const closeIdle = setInterval(() => app.server.closeIdleConnections(), CHECK_EVERY_MS);
    await app.close();
    clearInterval(closeIdle);
    clearTimeout(cutOff);
  };
}
