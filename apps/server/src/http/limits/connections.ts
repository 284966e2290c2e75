// Limits how many connections one client address may hold open.
import type { Server, Socket } from 'node:net';
import { countedAddress } from '../client.ts';

/** `isProxy`: its connections carry the requests of many clients, so they are not limited. */
export function limitConnections(server: Server, maxPerAddress: number, isProxy: (address: string) => boolean): void {
  if (maxPerAddress === 0) return;
  const openByAddress = new Map<string, number>();
  // First of all listeners, so that a refused connection costs no parser and no TLS handshake.
  server.prependListener('connection', (socket: Socket) => {
    const { remoteAddress = '' } = socket;
    if (isProxy(remoteAddress)) return;
    const address = countedAddress(remoteAddress);
    const open = openByAddress.get(address) ?? 0;
    if (open >= maxPerAddress) {
      socket.destroy();
      return;
    }
    openByAddress.set(address, open + 1);
    socket.once('close', () => {
      const remaining = (openByAddress.get(address) ?? 0) - 1;
      if (remaining > 0) openByAddress.set(address, remaining);
      else openByAddress.delete(address);
    });
  });
}
