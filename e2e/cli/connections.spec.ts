// A server with a certificate of its own, directly and through a proxy of the network.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { makeCertificate } from '../../apps/server/testing/certificate.ts';
import { CliUser } from '../support/cli.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

test('the client trusts the certificates of --cacert, also through a proxy', async () => {
  const { certFile, keyFile, discard } = await makeCertificate();
  const server = await ServerProcess.start({ TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile });
  const user = await CliUser.create(server.url);
  const tunnels: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, client) => {
    tunnels.push(url);
    const target = connect(server.port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    for (const socket of [client, target]) socket.on('error', () => undefined);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    writeFileSync(user.path('a.txt'), 'over TLS');
    const untrusted = await user.run(['send', 'a.txt']);
    expect([untrusted.exitCode, untrusted.stderr]).toEqual([1, expect.stringContaining('certificate isn’t trusted')]);
    const proxied = { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
    for (const environment of [{}, proxied]) {
      const { link, key } = await user.send(['a.txt', '--cacert', certFile], { environment });
      const args = ['receive', link, '-o', '-', '--cacert', certFile];
      const { stdout, stderr } = await user.run(args, { input: key, environment });
      expect([stdout.toString(), stderr]).toEqual(['over TLS', '']);
      expect(tunnels.every((address) => address === `127.0.0.1:${server.port}`)).toBe(true);
      expect(tunnels.length > 0).toBe(environment === proxied);
    }
  } finally {
    proxy.closeAllConnections();
    proxy.close();
    await user.discard();
    await server.discard();
    await discard();
  }
});
