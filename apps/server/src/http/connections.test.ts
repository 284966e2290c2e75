import { once } from 'node:events';
import { connect as connectHttp2, createSecureServer } from 'node:http2';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../testing/certificate.ts';
import { startTestServer } from '../../testing/test-server.ts';
import { limitConnections } from './open-requests.ts';

let server: Server;
let port: number;
const clients: Socket[] = [];

beforeEach(async () => {
  server = createServer((socket) => socket.on('error', () => undefined).write('welcome'));
  limitConnections(server, { perAddress: 2, total: 5 }, (address) => address === '127.0.0.9');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as { port: number });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
});

/** Returns whether the server kept the connection. */
async function isAccepted(localAddress: string): Promise<boolean> {
  const client = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => undefined);
  clients.push(client);
  return Promise.race([once(client, 'data').then(() => true), once(client, 'close').then(() => false)]);
}

it('refuses the third connection of an address until one of the others is closed', async () => {
  const accepted = [await isAccepted('127.0.0.2'), await isAccepted('127.0.0.2'), await isAccepted('127.0.0.2')];
  expect(accepted).toEqual([true, true, false]);
  expect(await isAccepted('127.0.0.3')).toBe(true);
  clients[0]?.destroy();
  await expect.poll(() => isAccepted('127.0.0.2')).toBe(true);
});

it('does not limit a trusted proxy', async () => {
  for (let count = 0; count < 5; count += 1) expect(await isAccepted('127.0.0.9')).toBe(true);
});

it('leaves connections to others: one address gets at most half of those that are left', async () => {
  const accepted = [];
  for (const address of [2, 2, 3, 3, 4, 5, 6]) accepted.push(await isAccepted(`127.0.0.${address}`));
  expect(accepted).toEqual([true, true, true, false, true, true, false]);
  clients[0]?.destroy();
  await expect.poll(() => isAccepted('127.0.0.6')).toBe(true);
});

it.each([
  ['MAX_CONNECTIONS_PER_ADDRESS', 1],
  // One address gets half of them.
  ['MAX_CONNECTIONS', 2],
])('a server with %s=%i keeps one connection of an address', async (name, limit) => {
  const limited = await startTestServer({ config: { [name]: limit } });
  const isServed = async (localAddress: string) => {
    const client = connect({ port: Number(new URL(limited.url).port), host: '127.0.0.1', localAddress });
    clients.push(client.on('error', () => undefined));
    client.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
    return Promise.race([once(client, 'data').then(() => true), once(client, 'close').then(() => false)]);
  };
  expect([await isServed('127.0.0.2'), await isServed('127.0.0.2'), await isServed('127.0.0.3')]).toEqual([
    true,
    false,
    true,
  ]);
  for (const client of clients.splice(0)) client.destroy();
  await limited.close();
});

describe('sessions of HTTP/2', () => {
  /** Four connections of an address, and half as many sessions. */
  async function startHttp2() {
    const certificate = await makeCertificate();
    const http2 = createSecureServer({ cert: certificate.cert, key: certificate.key });
    limitConnections(http2, { perAddress: 4, total: 0 }, (address) => address === '127.0.0.9');
    await once(http2.listen(0, '127.0.0.1'), 'listening');
    const sessions: ReturnType<typeof connectHttp2>[] = [];
    const { port: http2Port } = http2.address() as AddressInfo;
    return {
      sessions,
      /** Returns whether the server kept the session. */
      async isAccepted(localAddress: string): Promise<boolean> {
        const target = {
          host: '127.0.0.1',
          port: http2Port,
          localAddress,
          ca: certificate.cert,
          ALPNProtocols: ['h2'],
        };
        const createConnection = () => connectTls(target);
        const session = connectHttp2('https://localhost', { createConnection }).on('error', () => undefined);
        sessions.push(session);
        const closed = once(session, 'close').then(() => false);
        if (!(await Promise.race([once(session, 'remoteSettings').then(() => true), closed]))) return false;
        // A refused session may have sent its settings before it is closed.
        const answered = new Promise<boolean>((resolve) => session.ping((error) => resolve(error === null)));
        return Promise.race([answered, closed]);
      },
      async close() {
        for (const session of sessions) session.destroy();
        http2.close();
        await certificate.discard();
      },
    };
  }

  it('are half as many as connections, until one of them is closed', async () => {
    const { isAccepted, sessions, close } = await startHttp2();
    const accepted = [await isAccepted('127.0.0.2'), await isAccepted('127.0.0.2'), await isAccepted('127.0.0.2')];
    expect(accepted).toEqual([true, true, false]);
    expect(await isAccepted('127.0.0.3')).toBe(true);
    sessions[0]?.destroy();
    await expect.poll(() => isAccepted('127.0.0.2')).toBe(true);
    for (let count = 0; count < 5; count += 1) expect(await isAccepted('127.0.0.9')).toBe(true);
    await close();
  });
});
