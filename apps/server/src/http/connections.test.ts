import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
