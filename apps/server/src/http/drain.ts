// The end of a server: what is under way is finished, what is idle is closed, what is stuck is cut off.
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const LOOK_AGAIN_MS = 100;

/** To be called before the app listens. The answer closes it within `limitMs`. */
export function createDrain(app: FastifyInstance, limitMs: number): () => Promise<void> {
  // Kept by ourselves because an HTTP/2 server cannot be asked to close all connections.
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async () => {
    const cutOff = setTimeout(() => {
      for (const socket of sockets) socket.destroy();
    }, limitMs);
    // An HTTP/1.1 connection that was busy when the signal came is kept alive after its answer, unless somebody closes
    // it. An HTTP/2 session has been told to go away and ends with its last stream.
    const closeIdle = setInterval(() => app.server.closeIdleConnections(), LOOK_AGAIN_MS);
    await app.close();
    clearInterval(closeIdle);
    clearTimeout(cutOff);
  };
}
