// The reference of bench/upload and bench/many: accepts any bytes and stores none, sends sealed bytes from memory, and
// serves an empty page to do that from.
import { createCipheriv } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE = '<!doctype html><title>sink</title><input type="file">';

/** IV ‖ ciphertext ‖ tag of zeros, under a key of zeros. */
function seal(bytes: number): Buffer {
  const iv = Buffer.alloc(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32), iv);
  return Buffer.concat([iv, cipher.update(Buffer.alloc(bytes)), cipher.final(), cipher.getAuthTag()]);
}

const sealedParts = new Map<number, Buffer>();

const server = createServer((request, response) => {
  const sealedBytes = Number(/^\/sealed\/(\d+)$/u.exec(request.url ?? '')?.[1]);
  request.resume().on('end', () => {
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
