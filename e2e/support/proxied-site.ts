// A site whose files pass through a proxy, on both kinds of backends: it counts them, and can cut the connections.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { NO_RATE_LIMITS } from '../../apps/server/testing/no-rate-limits.ts';
import { TcpProxy } from '../../apps/server/testing/tcp-proxy.ts';
import { CliUser } from './cli.ts';
import { ServerProcess } from './server-process.ts';
import { test as base } from './test.ts';

export interface ProxiedSite {
  url: string;
  /** In front of the server, or of the store if the server has one: then only the bytes of files pass through it. */
  proxy: TcpProxy;
}

/** With a user of the command line client. */
export const test = base.extend<{ site: ProxiedSite; user: CliUser }>({
  site: async ({ cluster }, provide) => {
    if (cluster) return provide({ url: cluster.url, proxy: cluster.storeProxy });
    const server = await ServerProcess.start(NO_RATE_LIMITS);
    const proxy = await TcpProxy.start(server.port);
    await provide({ url: proxy.url, proxy });
    await proxy.discard();
    return server.discard();
  },
  user: async ({ site }, provide) => {
    const user = await CliUser.create(site.url);
    await provide(user);
    await user.discard();
  },
});

/** Cuts all connections, and every new one as soon as it is made: counting them needs something that listens. */
export async function beginOutage(proxy: TcpProxy) {
  let refused = 0;
  await proxy.interrupt();
  const refusing = createServer((socket) => {
    refused += 1;
    socket.resetAndDestroy();
  }).listen(proxy.port, '127.0.0.1');
  await once(refusing, 'listening');
  return {
    /** How many connections were refused so far. */
    refused: () => refused,
    async end(): Promise<void> {
      refusing.close();
      await once(refusing, 'close');
      await proxy.resume();
    },
  };
}
