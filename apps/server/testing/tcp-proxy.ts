// Stands before a server, and loses what it answers, as a network does that forgot a connection.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  /** The server's own URL, by way of the proxy. */
  url: string;
  /** On the connections that there are. Those that come after are whole. */
  swallowAnswers(): void;
  stop(): Promise<void>;
}

export async function startTcpProxy(serverUrl: string): Promise<TcpProxy> {
  const url = new URL(serverUrl);
  const [serverPort, serverHost] = [Number(url.port), url.hostname];
  const serverSides = new Set<Socket>();
  const proxy = createServer((clientSide) => {
    const serverSide = connect(serverPort, serverHost);
    serverSides.add(serverSide);
    clientSide.pipe(serverSide).pipe(clientSide);
    for (const side of [clientSide, serverSide]) side.on('error', () => undefined);
    clientSide.once('close', () => serverSide.destroy());
    serverSide.once('close', () => serverSides.delete(serverSide));
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return {
    url: url.href,
    swallowAnswers() {
      for (const serverSide of serverSides) serverSide.unpipe().resume();
    },
    async stop() {
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
