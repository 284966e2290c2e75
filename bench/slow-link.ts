// A TCP proxy that adds latency, so that the cost of round trips can be measured on one machine.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface SlowLink {
  url: string;
  close(): void;
}

/** Each direction takes half of `roundTripMs`. The order of bytes is kept, and the bandwidth is not limited. */
export async function startSlowLink(targetPort: number, roundTripMs: number): Promise<SlowLink> {
  // A timer of 0 ms takes at least 1 ms.
  const later = (work: () => void) => (roundTripMs === 0 ? work() : setTimeout(work, roundTripMs / 2));
  const delay = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => later(() => to.writable && to.write(bytes)));
    from.on('error', () => to.destroy()).on('close', () => later(() => to.destroy()));
  };
  const server = createServer({ noDelay: true }, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    delay(client, target);
    delay(target, client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}
