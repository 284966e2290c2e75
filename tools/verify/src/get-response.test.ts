import http, { type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { createGetResponse, type ReceivedResponse } from './get-response.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = http.createServer(listener);
  await new Promise<void>((resolve) => void server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const never = new AbortController().signal;
const get = createGetResponse({ connections: 2, maxBytes: 100_000, requestMs: 500 });

it.each([
  ['identity', (text: string) => text],
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['zstd', zstdCompressSync],
])('decodes %s', async (encoding, encode) => {
  const url = await serve((request, response) => {
    expect(request.headers).toMatchObject({ accept: 'text/html' });
    response.setHeader('content-encoding', encoding).end(encode('the page'));
  });
  expect(await get(url, { accept: 'text/html' }, never)).toMatchObject({ status: 200, body: Buffer.from('the page') });
});

it.each([
  ['gzip that is no gzip', 'gzip', Buffer.from('the page')],
  ['gzip that ends early', 'gzip', gzipSync('x'.repeat(1000)).subarray(0, 20)],
  ['an unknown encoding', 'compress', Buffer.from('')],
  ['two encodings', 'gzip, br', Buffer.from('')],
  ['the name of a property', 'constructor', Buffer.from('')],
])('cannot read %s', async (_, encoding, body) => {
  const url = await serve((_request, response) => void response.setHeader('content-encoding', encoding).end(body));
  expect(await get(url, {}, never)).toMatchObject({ body: 'unreadable' });
});

it.each([
  ['plain', (text: Buffer) => text, {}],
  ['compressed', gzipSync, { 'content-encoding': 'gzip' }],
])('stops reading a %s body that is too large', async (_, encode, headers) => {
  const url = await serve(
    (_request, response) => void response.writeHead(200, headers).end(encode(Buffer.alloc(100_001))),
  );
  expect(await get(url, {}, never)).toMatchObject({ body: 'tooLarge' });
});

it('stops reading a body that does not end', async () => {
  let isClosed: Promise<void> | undefined;
  const url = await serve((_request, response) => {
    isClosed = new Promise((resolve) => response.on('close', resolve));
    const write = () => {
      while (!response.destroyed && response.write(Buffer.alloc(10_000)));
    };
    response.on('drain', write);
    write();
  });
  expect(await get(url, {}, never)).toMatchObject({ body: 'tooLarge' });
  await isClosed;
});

it('follows no redirect', async () => {
  const url = await serve((_request, response) => void response.writeHead(302, { location: '/other' }).end());
  expect(await get(url, {}, never)).toMatchObject({
    status: 302,
    headers: expect.arrayContaining([['location', '/other']]),
  });
});

it('has every header that was sent, also those before the response', async () => {
  const url = await serve((_request, response) => {
    response.writeEarlyHints({ link: '</evil.js>; rel=preload' });
    response.setHeader('Content-Security-Policy', ['one', 'two']).end();
  });
  const { headers } = (await get(url, {}, never)) as ReceivedResponse;
  expect(headers.filter(([name]) => name === 'link' || name === 'content-security-policy')).toEqual([
    ['link', '</evil.js>; rel=preload'],
    ['content-security-policy', 'one'],
    ['content-security-policy', 'two'],
  ]);
});

it.each<[string, RequestListener, string]>([
  ['no response', () => undefined, 'TIMEOUT'],
  ['a body that stalls', (_request, response) => void response.write('x'), 'TIMEOUT'],
  ['a closed connection', (request) => void request.socket.destroy(), 'ECONNRESET'],
  [
    'a body that breaks',
    (request, response) =>
      void response.writeHead(200, { 'content-length': 9 }).write('x', () => request.socket.destroy()),
    'ECONNRESET',
  ],
  [
    'a compressed body that breaks',
    (request, response) =>
      void response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-length': 999 })
        .write(gzipSync('x'.repeat(99)).subarray(0, 15), () => request.socket.destroy()),
    'ECONNRESET',
  ],
])('reports %s', async (_, listener, code) => {
  expect(await get(await serve(listener), {}, never)).toEqual({ unreachable: code });
});

it('reports a server that is down', async () => {
  const url = await serve(() => undefined);
  await new Promise((resolve) => void server?.close(resolve));
  expect(await get(url, {}, never)).toEqual({ unreachable: 'ECONNREFUSED' });
});

it('rejects if it is stopped', async () => {
  const stopping = new AbortController();
  const url = await serve(() => stopping.abort());
  await expect(get(url, {}, stopping.signal)).rejects.toThrow('aborted');
});
