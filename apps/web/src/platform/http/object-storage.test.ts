import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { browserStorage } from './object-storage.ts';

const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
const signal = new AbortController().signal;
let close = () => {};
afterEach(() => {
  close();
  vi.restoreAllMocks();
});

/** Fetches the range from a server with this request listener. */
async function fetchFrom(respond: RequestListener, length = bytes.length): Promise<Uint8Array> {
  const server = createServer(respond).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  close = () => void server.close();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return browserStorage.getRange(url, 0, length, () => {}, signal);
}

/** Sends the bytes in pieces, without a Content-Length header. */
const send =
  (sent: Uint8Array): RequestListener =>
  (_, response) => {
    response.writeHead(206);
    response.write(sent.slice(0, 1000));
    response.end(sent.slice(1000));
  };

/** Simulates a browser that can only read a response piece by piece. */
function withoutByteReaders(): void {
  const getReader = ReadableStream.prototype.getReader as (this: ReadableStream, options?: object) => unknown;
  vi.spyOn(ReadableStream.prototype, 'getReader').mockImplementation(function (this: ReadableStream, options?: object) {
    if (options) throw new TypeError('no such reader');
    return getReader.call(this) as never;
  });
}

describe.each([
  ['straight into one buffer', () => {}],
  ['piece by piece', withoutByteReaders],
])('a range read %s', (_, prepare) => {
  it('returns the requested bytes', async () => {
    prepare();
    expect(await fetchFrom(send(bytes))).toEqual(bytes);
  });

  it('that is too long is a broken connection', async () => {
    prepare();
    await expect(fetchFrom(send(new Uint8Array([...bytes, 0])))).rejects.toMatchObject({ code: 'NETWORK' });
  });

  it('that ends early, or breaks, returns what has arrived', async () => {
    prepare();
    expect(await fetchFrom(send(bytes.slice(0, -1)))).toEqual(bytes.slice(0, -1));
    const broken: RequestListener = (_, response) => {
      response.writeHead(206, { 'content-length': bytes.length });
      response.write(bytes.slice(0, 1000), () => setImmediate(() => response.destroy()));
    };
    expect(await fetchFrom(broken)).toEqual(bytes.slice(0, 1000));
  });

  it('that breaks before its first byte throws NETWORK', async () => {
    prepare();
    const broken: RequestListener = (_, response) => {
      response.writeHead(206, { 'content-length': bytes.length }).flushHeaders();
      setImmediate(() => response.destroy());
    };
    await expect(fetchFrom(broken)).rejects.toMatchObject({ code: 'NETWORK' });
  });
});

it('throws DATA_INCOMPLETE, which is not retried, if the store announces fewer bytes', async () => {
  const short: RequestListener = (_, response) => response.writeHead(206, { 'content-length': 3 }).end('abc');
  await expect(fetchFrom(short)).rejects.toMatchObject({ code: 'DATA_INCOMPLETE' });
});

it('throws INVALID_URL if the target is no URL, before anything is sent', async () => {
  expect(() => browserStorage.put('not a URL', new Blob(), () => {}, signal)).toThrowError('INVALID_URL');
  await expect(browserStorage.getRange('/store/x', 0, 1, () => {}, signal)).rejects.toMatchObject({
    code: 'INVALID_URL',
  });
});
