import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createConnections } from './connections.ts';
import { createStorage } from './storage.ts';

const PIECES = 400;
const REFUSAL = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n';

/** Sends a part to a server that behaves like this. Resolves when the part is no longer read. */
async function put(onConnection: (socket: Socket) => void, abort = new AbortController()): Promise<string> {
  const server = createServer((socket) => onConnection(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  async function* body() {
    try {
      for (let index = 0; index < PIECES; index += 1) yield Buffer.alloc(65_536);
    } finally {
      release();
    }
  }
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const sending = createStorage(createConnections(), () => {}).put(
    url,
    { length: PIECES * 65_536, body: body() },
    () => {},
    abort.signal,
  );
  const code = await sending.then(
    () => 'none',
    (error: { code: string }) => error.code,
  );
  await released;
  server.close();
  return code;
}

// Otherwise its file stays open until the memory is collected, and then Node ends the program.
it.each<[string, (socket: Socket) => void, string]>([
  [
    'refuses it and does not read the rest',
    (socket) => socket.once('data', () => socket.pause().write(REFUSAL)),
    'STORAGE_ERROR',
  ],
  ['refuses it and closes', (socket) => socket.once('data', () => socket.end(REFUSAL)), 'STORAGE_ERROR'],
  ['breaks the connection', (socket) => socket.once('data', () => socket.resetAndDestroy()), 'NETWORK'],
  ['accepts no connection', (socket) => socket.destroy(), 'NETWORK'],
])('stops to read a part if the store %s', async (_, onConnection, code) => {
  expect(await put(onConnection)).toBe(code);
});

it('stops to read a part that is cancelled', async () => {
  const abort = new AbortController();
  expect(await put((socket) => socket.once('data', () => abort.abort()), abort)).toBe('CANCELLED');
});
