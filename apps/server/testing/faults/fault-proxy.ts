// A proxy in front of a backend. A test can make the backend unreachable or silent, or give it another certificate.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';

export interface CertificatePair {
  cert: Buffer;
  key: Buffer;
}

export class FaultProxy {
  readonly #server: Server;
  readonly #pairs = new Map<Duplex, Socket>();
  /** Connections that were opened while the backend was silent. */
  readonly #waiting = new Set<Socket>();
  #port = 0;
  #isFrozen = false;
  /** With it clients speak TLS to the proxy. New connections get the current one. */
  certificate: CertificatePair | undefined;

  static async start(targetPort: number, certificate?: CertificatePair): Promise<FaultProxy> {
    const proxy = new FaultProxy(targetPort);
    proxy.certificate = certificate;
    await proxy.resume();
    return proxy;
  }

  private constructor(targetPort: number) {
    this.#server = createServer((client) => {
      client.on('error', () => undefined);
      if (this.#isFrozen) this.#waiting.add(client);
      else this.#join(this.#secured(client), connect(targetPort, '127.0.0.1'));
    });
  }

  /** Stays the same after an interruption. */
  get port(): number {
    return this.#port;
  }

  #secured(client: Socket): Duplex {
    if (!this.certificate) return client;
    return new TLSSocket(client, { isServer: true, secureContext: createSecureContext(this.certificate) });
  }

  #join(client: Duplex, backend: Socket): void {
    this.#pairs.set(client, backend);
    const drop = () => {
      this.#pairs.delete(client);
      client.destroy();
      backend.destroy();
    };
    for (const socket of [client, backend]) socket.on('error', drop).on('close', drop);
    client.pipe(backend).pipe(client);
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of [...this.#pairs.keys(), ...this.#waiting]) socket.destroy();
    this.#waiting.clear();
  }

  async resume(): Promise<void> {
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Cuts every connection and refuses new ones, as a machine does whose program is not running. */
  async interrupt(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  /** Accepts connections, and passes not a byte. */
  freeze(): void {
    this.#isFrozen = true;
    for (const [client, backend] of this.#pairs) {
      client.unpipe(backend).pause();
      backend.unpipe(client).pause();
    }
  }

  /** What was sent in the meantime arrives late. Connections that were opened in the meantime are cut. */
  thaw(): void {
    this.#isFrozen = false;
    for (const [client, backend] of this.#pairs) client.pipe(backend).pipe(client);
    for (const socket of this.#waiting) socket.destroy();
    this.#waiting.clear();
  }

  async discard(): Promise<void> {
    if (this.#server.listening) await this.interrupt();
  }
}
