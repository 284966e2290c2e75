// The reference of bench/upload: accepts any bytes, stores none, and serves an empty page to send them from.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>sink</title>');
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
