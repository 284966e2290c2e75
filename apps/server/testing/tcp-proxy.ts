// A TCP proxy in front of a server. A test can cut, stall, mute or freeze its connections, and it counts what passes.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Connection {
  client: Socket;
  server: Socket;
  /** Whether a PUT was sent that has no response yet. */
  isSending: boolean;
  /** `PUT ` or `GET `, if such a request has no response yet. */
  method: string | undefined;
  isStalled: boolean;
  isMuted: boolean;
  /** Whether the client has sent something since the server did. */
  isAsking: boolean;
}

export class TcpProxy {
  readonly #server: Server;
  #port = 0;
  readonly #connections = new Set<Connection>();
  /** How many PUTs were started. */
  parts = 0;
  /** How many PUTs had no response yet when they were cut. */
  cutParts = 0;
  cuts = 0;
  /** How many responses have begun, by method and status, such as `PUT 200`. */
  readonly responses: Record<string, number> = {};
  /** How often a client has sent something after a response, or at first: what it sends at once is one round trip. */
  roundTrips = 0;
  /** How many bytes have passed in each direction. */
  readonly bytes = { toServer: 0, toClient: 0 };
  #passedBytes = 0;
  /** Cuts every connection each time this many bytes have passed, in both directions together. */
  cutEveryBytes = Number.POSITIVE_INFINITY;
  /** The connection of the next PUT goes silent: it stays open, and no byte passes. */
  stallNextPart = false;
  #isFrozen = false;

  static async start(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    await proxy.resume();
    return proxy;
  }

  private constructor(targetPort: number) {
    this.#server = createServer((client) => this.#join(client, connect(targetPort, '127.0.0.1')));
  }

  /** Stays the same after an interruption. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  #join(client: Socket, server: Socket): void {
    const connection: Connection = {
      client,
      server,
      isSending: false,
      method: undefined,
      isStalled: false,
      isMuted: false,
      isAsking: false,
    };
    this.#connections.add(connection);
    const drop = () => {
      this.#connections.delete(connection);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', drop).on('close', drop);
    client.on('data', (chunk: Buffer) => this.#pass(connection, chunk));
    server.on('data', (chunk: Buffer) => {
      if (connection.isMuted) return;
      connection.isSending = false;
      connection.isAsking = false;
      this.#countResponse(connection, chunk);
      if (!client.write(chunk)) server.pause();
      this.#count(chunk, 'toClient');
    });
    server.on('drain', () => connection.isStalled || client.resume());
    client.on('drain', () => server.resume());
    if (this.#isFrozen) for (const socket of [client, server]) socket.pause();
  }

  #pass(connection: Connection, chunk: Buffer): void {
    const start = chunk.subarray(0, 4).toString('latin1');
    if (start === 'PUT ' || start === 'GET ') connection.method = start;
    if (start === 'PUT ') this.#beginPart(connection);
    if (connection.isStalled) return;
    if (!connection.isAsking) this.roundTrips += 1;
    connection.isAsking = true;
    if (!connection.server.write(chunk)) connection.client.pause();
    this.#count(chunk, 'toServer');
  }

  #countResponse(connection: Connection, chunk: Buffer): void {
    if (connection.method === undefined) return;
    const status = /^HTTP\/1\.1 (?<status>\d+)/u.exec(chunk.subarray(0, 12).toString('latin1'))?.groups?.['status'];
    const name = `${connection.method}${status}`;
    this.responses[name] = (this.responses[name] ?? 0) + 1;
    connection.method = undefined;
  }

  #count(chunk: Buffer, direction: 'toServer' | 'toClient'): void {
    this.bytes[direction] += chunk.length;
    const before = Math.floor(this.#passedBytes / this.cutEveryBytes);
    this.#passedBytes += chunk.length;
    if (Math.floor(this.#passedBytes / this.cutEveryBytes) > before) this.cut();
  }

  #beginPart(connection: Connection): void {
    const count = () => void (this.parts += 1);
    // A browser retries once by itself after a reset connection. While the server is down, such a PUT reaches nothing.
    if (connection.server.connecting) connection.server.once('connect', count);
    else count();
    connection.isSending = true;
    if (!this.stallNextPart) return;
    this.stallNextPart = false;
    connection.isStalled = true;
    connection.client.pause();
  }

  /** Resets every connection, as a lost Wi-Fi does. */
  cut(): void {
    this.cuts += 1;
    for (const { client, server, isSending } of this.#connections) {
      if (isSending) this.cutParts += 1;
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    this.#connections.clear();
  }

  /** Drops every response on the open connections, as a network does that has lost their state. Later ones work. */
  muteResponses(): void {
    for (const connection of this.#connections) connection.isMuted = true;
  }

  /** No byte passes until `thaw`, and new connections stay silent, as if the server were stopped. */
  freeze(): void {
    this.#isFrozen = true;
    for (const { client, server } of this.#connections) for (const socket of [client, server]) socket.pause();
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const { client, server } of this.#connections) for (const socket of [client, server]) socket.resume();
  }

  async resume(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection and refuses new ones, as a server does that is not running. */
  async interrupt(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async discard(): Promise<void> {
    if (this.#server.listening) await this.interrupt();
  }
}
