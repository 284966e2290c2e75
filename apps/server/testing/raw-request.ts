// Sends bytes as they are over a connection of its own, for requests that no HTTP client would send.
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface RawResponse {
  status: number;
  headers: Headers;
  body: string;
}

/** Over TLS if a certificate is given. The server must close the connection: the request or its error says so. */
export async function sendRaw(url: string, bytes: string, ca?: string | Buffer): Promise<RawResponse> {
  const { hostname: host, port } = new URL(url);
  const socket =
    ca === undefined
      ? connect(Number(port), host)
      : connectTls({ host, port: Number(port), ca, ALPNProtocols: ['http/1.1'] });
  socket.write(bytes);
  const text = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d{3}) /u.exec(statusLine)?.[1]),
    headers: new Headers(lines.map((line) => line.split(/:\s*(.*)/u, 2) as [string, string])),
    body: body.join('\r\n\r\n'),
  };
}

/** The request line and the headers of a GET. */
export const rawGet = (target: string, ...lines: string[]) =>
  [`GET ${target} HTTP/1.1`, ...lines, 'connection: close', '', ''].join('\r\n');
