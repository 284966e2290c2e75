// Runs in a container in place of Garage: a Ceph gateway at port 3900, with the bucket and the key of the environment.
import { connect, createServer } from 'node:net';
import { startCeph } from '../../apps/server/testing/ceph.ts';

const { GARAGE_DEFAULT_ACCESS_KEY: key = '', GARAGE_DEFAULT_SECRET_KEY: secret = '' } = process.env;
const ceph = await startCeph();
await ceph.admin(
  'user',
  'create',
  '--uid=site',
  '--display-name=site',
  `--access-key=${key}`,
  `--secret-key=${secret}`,
);
await ceph.newBucket({ accessKeyId: key, secretAccessKey: secret }, process.env['GARAGE_DEFAULT_BUCKET']);
const { port } = new URL(ceph.endpoint);
createServer((incoming) => {
  const outgoing = connect(Number(port), '127.0.0.1');
  incoming.pipe(outgoing).pipe(incoming);
  for (const socket of [incoming, outgoing]) socket.on('error', () => (incoming.destroy(), outgoing.destroy()));
}).listen(3900, '0.0.0.0');
