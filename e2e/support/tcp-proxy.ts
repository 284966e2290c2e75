// A wire between browser and server that a test can cut, stall and slow, and that counts the parts which go over it.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Wire {
  browser: Socket;
  server: Socket;
  /** Whether a part is on its way, without an answer yet. */
  isSending: boolean;
  isStalled: boolean;
}

export class TcpProxy {
  readonly #server: Server;
  readonly #wires = new Set<Wire>();
  /** How often a part was begun. */
  parts = 0;
  /** How many parts had no answer yet when they were cut. */
  cutParts = 0;
  cuts = 0;
  #passedBytes = 0;
  /** Cuts every wire whenever so many bytes have passed, either way. */
  cutEveryBytes = Number.POSITIVE_INFINITY;
  /** From the next part on, the wire that brings it goes silent: nothing is lost, nothing arrives. */
  stallNextPart = false;

  static async start(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(targetPort: number) {
    this.#server = createServer((browser) => this.#join(browser, connect(targetPort, '127.0.0.1')));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #join(browser: Socket, server: Socket): void {
    const wire: Wire = { browser, server, isSending: false, isStalled: false };
    this.#wires.add(wire);
    const drop = () => {
      this.#wires.delete(wire);
      browser.destroy();
      server.destroy();
    };
    for (const socket of [browser, server]) socket.on('error', drop).on('close', drop);
    browser.on('data', (chunk: Buffer) => this.#pass(wire, chunk));
    server.on('data', (chunk: Buffer) => {
      wire.isSending = false;
      if (!browser.write(chunk)) server.pause();
      this.#count(chunk);
    });
    server.on('drain', () => wire.isStalled || browser.resume());
    browser.on('drain', () => server.resume());
  }

  #pass(wire: Wire, chunk: Buffer): void {
    if (chunk.subarray(0, 4).toString('latin1') === 'PUT ') this.#beginPart(wire);
    if (wire.isStalled) return;
    if (!wire.server.write(chunk)) wire.browser.pause();
    this.#count(chunk);
  }

  #count(chunk: Buffer): void {
    const before = Math.floor(this.#passedBytes / this.cutEveryBytes);
    this.#passedBytes += chunk.length;
    if (Math.floor(this.#passedBytes / this.cutEveryBytes) > before) this.cut();
  }

  #beginPart(wire: Wire): void {
    const count = () => void (this.parts += 1);
    // A browser tries once more by itself where a connection was reset. With no server at its end, a wire carries nothing.
    if (wire.server.connecting) wire.server.once('connect', count);
    else count();
    wire.isSending = true;
    if (!this.stallNextPart) return;
    this.stallNextPart = false;
    wire.isStalled = true;
    wire.browser.pause();
  }

  /** As when a Wi-Fi goes away: every connection is reset. */
  cut(): void {
    this.cuts += 1;
    for (const { browser, server, isSending } of this.#wires) {
      if (isSending) this.cutParts += 1;
      browser.resetAndDestroy();
      server.resetAndDestroy();
    }
    this.#wires.clear();
  }

  async discard(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
