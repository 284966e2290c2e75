// A TCP proxy in a process of its own that delays every byte: node far-away.ts <port>. It sends its port, and gets the round trip in ms.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

let roundTripMs = 0;
process.on('message', (ms: number) => void (roundTripMs = ms));

function pass(from: Socket, to: Socket): void {
  from.setNoDelay();
  from.on('data', (data) => setTimeout(() => to.writable && to.write(data), roundTripMs / 2));
  from.on('error', () => to.destroy()).on('close', () => to.destroy());
}

const server = createServer((near) => {
  const far = connect(Number(process.argv[2]), '127.0.0.1');
  pass(near, far);
  pass(far, near);
}).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
