// Counts received and sent bytes, read from the sockets when the metrics are requested: exact during a transfer, for every
// version of HTTP, and at no cost for the transfer.
import type { Server, Socket } from 'node:net';
import { Counter, type Registry } from 'prom-client';

export type ConnectionWatcher = (server: Server) => void;

export function createConnectionBytes(registry: Registry): ConnectionWatcher {
  const open = new Set<Socket>();
  const closed = { bytesRead: 0, bytesWritten: 0 };

  const count = (name: string, help: string, direction: 'bytesRead' | 'bytesWritten') =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc([...open].reduce((sum, socket) => sum + socket[direction], closed[direction]));
      },
    });
  count('furoshiki_received_bytes_total', 'Bytes received on all connections, headers included.', 'bytesRead');
  count('furoshiki_sent_bytes_total', 'Bytes sent on all connections, headers included.', 'bytesWritten');

  return (server) => {
    server.on('connection', (socket) => {
      open.add(socket);
      socket.once('close', () => {
        open.delete(socket);
        closed.bytesRead += socket.bytesRead;
        closed.bytesWritten += socket.bytesWritten;
      });
    });
  };
}
