// A proxy that changes what a server sends, as the owner of a dishonest server could.
import { once } from 'node:events';
import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Passing {
  status: number;
  /** Names and values, one after the other. */
  headers: string[];
  body: Buffer;
}

/** Changes what passes, or begins a response of its own. */
export type Tamper = (passing: Passing, response: ServerResponse, request: IncomingMessage) => void;

export class TamperingProxy {
  readonly #server: Server;
  /** By path. `*` is for all paths. */
  readonly changes = new Map<string, Tamper>();
  onRequest: (request: IncomingMessage) => void = () => undefined;

  static async start(targetPort: number): Promise<TamperingProxy> {
    const proxy = new TamperingProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(targetPort: number) {
    const agent = new http.Agent({ keepAlive: true });
    this.#server = http.createServer((request, response) => {
      this.onRequest(request);
      const change = this.changes.get(request.url ?? '') ?? this.changes.get('*');
      const { 'if-none-match': _etag, ...others } = request.headers;
      // A change needs the bytes, not their compressed form, and not the answer that they are unchanged.
      const headers = change ? { ...others, 'accept-encoding': 'identity' } : request.headers;
      const { method, url: path } = request;
      const target = { port: targetPort, host: '127.0.0.1', method, path, headers, agent };
      const passing = http
        .request(target, (received) => {
          if (change) void passOn(received, response, (passed) => change(passed, response, request));
          else received.pipe(response.writeHead(received.statusCode ?? 0, received.rawHeaders));
        })
        .on('error', () => response.destroy());
      request.pipe(passing);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  discard(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => void this.#server.close(() => resolve()));
  }
}

async function passOn(
  received: IncomingMessage,
  response: ServerResponse,
  change: (passing: Passing) => void,
): Promise<void> {
  const passing = { status: received.statusCode ?? 0, headers: received.rawHeaders, body: await buffer(received) };
  change(passing);
  if (response.headersSent || response.destroyed) return;
  const at = passing.headers.findIndex((word, index) => index % 2 === 0 && /^content-length$/iu.test(word));
  if (at !== -1) passing.headers[at + 1] = String(passing.body.length);
  response.writeHead(passing.status, passing.headers).end(passing.body);
}

/** Changes one bit in the middle of the body. */
export const changeByte: Tamper = ({ body }) => {
  const at = Math.floor(body.length / 2);
  body[at] = (body[at] ?? 0) ^ 1;
};

export const cutBody: Tamper = (passing) => {
  passing.body = passing.body.subarray(0, -1);
};

export const addToBody =
  (text: string): Tamper =>
  (passing) => {
    passing.body = Buffer.concat([passing.body, Buffer.from(text)]);
  };

export const setStatus =
  (status: number, ...headers: string[]): Tamper =>
  (passing) => {
    passing.status = status;
    passing.headers.push(...headers);
  };

export const addHeader =
  (name: string, value: string): Tamper =>
  ({ headers }) => {
    headers.push(name, value);
  };

export const replaceHeader =
  (name: string, replace: (value: string) => string): Tamper =>
  ({ headers }) => {
    const at = headers.findIndex((word, index) => index % 2 === 0 && word.toLowerCase() === name);
    headers[at + 1] = replace(headers[at + 1] ?? '');
  };

export const removeHeader =
  (name: string): Tamper =>
  (passing) => {
    const nameAt = (index: number) => passing.headers[index - (index % 2)]?.toLowerCase();
    passing.headers = passing.headers.filter((_, index) => nameAt(index) !== name);
  };

export const closeConnection: Tamper = (_passing, response) => void response.destroy();

/** Sends a body that never ends. */
export const sendForever: Tamper = ({ status, headers }, response) => {
  const nameAt = (index: number) => headers[index - (index % 2)] ?? '';
  const others = headers.filter((_, index) => !/^content-length$/iu.test(nameAt(index)));
  response.writeHead(status, others);
  const piece = Buffer.alloc(1024 * 1024, ' ');
  const write = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
};
