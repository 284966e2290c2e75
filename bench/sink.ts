// The reference of bench/upload, bench/many and bench/cli: accepts any bytes and stores none, or writes and syncs them to a
// file; sends sealed bytes from memory; serves an empty page to do that from.
import { createCipheriv } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const PAGE = '<!doctype html><title>sink</title><input type="file">';

/** IV ‖ ciphertext ‖ tag of zeros, under a key of zeros. */
function seal(bytes: number): Buffer {
  const iv = Buffer.alloc(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32), iv);
  return Buffer.concat([iv, cipher.update(Buffer.alloc(bytes)), cipher.final(), cipher.getAuthTag()]);
}

const sealedParts = new Map<number, Buffer>();

/** What a server must do at least before it may acknowledge bytes. */
async function store(request: IncomingMessage): Promise<void> {
  const path = join(tmpdir(), `furoshiki-sink-${process.pid}`);
  await pipeline(request, createWriteStream(path, { flush: true }));
  await rm(path);
}

const server = createServer((request, response) => {
  if (request.url === '/stored') return void store(request).then(() => response.end());
  const sealedBytes = Number(/^\/sealed\/(\d+)$/u.exec(request.url ?? '')?.[1]);
  return void request.resume().on('end', () => {
    if (sealedBytes > 0) {
      const sealed = sealedParts.get(sealedBytes) ?? seal(sealedBytes);
      sealedParts.set(sealedBytes, sealed);
      response.setHeader('cache-control', 'no-store');
      response.end(sealed);
      return;
    }
    response.setHeader('content-type', 'text/html');
    response.end(PAGE);
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
