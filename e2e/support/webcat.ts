// What a test with WEBCAT's extension needs besides Firefox: a signature that a Sigsum log and two witnesses have recorded, the list of
// enrolled sites that the extension's own test build expects at port 1234, and a proxy with TLS that changes what the server sends.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import http, { type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import https from 'node:https';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { makeCertificate } from '../../apps/server/testing/certificate.ts';
import { freePort } from '../../apps/server/testing/process.ts';
import { canonical } from '../../apps/server/src/deployment/signed-bundle.ts';
import { ROOT } from '../../scripts/paths.mjs';
import { expect } from './test.ts';

/** The test build of the extension accepts this port. */
const PORT = 8443;
export const ORIGIN = `https://127.0.0.1:${PORT}`;
const ENROLLED_PORT = 1234;
const run = promisify(execFile);

/** Signs the manifest of this build as docs/VERIFYING.md says, with a log and witnesses of its own. Returns the folder for WEBCAT_DIR. */
export async function signManifest(folder: string): Promise<string> {
  const inFolder = { cwd: folder };
  const [log, first, second] = [await freePort(), await freePort(), await freePort()].map(
    (port) => `127.0.0.1:${port}`,
  );
  const keys = ['log', 'one', 'two', 'signing.key'];
  for (const key of keys) await run('sigsum-key', ['generate', '-o', key], inFolder);
  const hexOf = async (key: string) =>
    (await run('sigsum-key', ['to-hex', '-k', `${key}.pub`], inFolder)).stdout.trim();
  const policy = [
    `log ${await hexOf('log')} http://${log}`,
    `witness one ${await hexOf('one')} http://${first}`,
    `witness two ${await hexOf('two')} http://${second}`,
    'group both any one two',
    'quorum both',
  ];
  await writeFile(join(folder, 'policy'), `${policy.join('\n')}\n`);
  await writeFile(join(folder, 'sth.startup'), 'startup=empty\n');
  // Debian's log server needs the old rules for paths.
  const env = { ...process.env, GODEBUG: 'httpmuxgo121=0' };
  const start = (program: string, ...args: string[]) => spawn(program, args, { ...inFolder, env, stdio: 'ignore' });
  const witness = (key: string, address = '') =>
    start('sigsum-witness', '-k', key, '--log-key', 'log.pub', '--state-file', `${key}.state`, address);
  const internal = `127.0.0.1:${await freePort()}`;
  const services: ChildProcess[] = [
    witness('one', first),
    witness('two', second),
    start(
      'sigsum-log-primary',
      '--backend=ephemeral',
      '--interval=1s',
      '--key-file=log',
      '--policy-file=policy',
      `--sth-file=${join(folder, 'sth')}`,
      `--external-endpoint=${log}`,
      `--internal-endpoint=${internal}`,
    ),
  ];
  try {
    const treeHead = () => fetch(`http://${log}/get-tree-head`).then((response) => response.text());
    // The tool refuses an empty tree.
    await expect.poll(() => treeHead().catch(() => '')).toContain('cosignature=');
    await run('sigsum-submit', ['-p', 'policy', '-k', 'signing.key', 'policy'], inFolder);
    await writeFile(join(folder, 'tree-head'), await treeHead());
    const script = join(ROOT, 'tools', 'release', 'manifest.mjs');
    const options = [script, '--published', `--timestamp=${join(folder, 'tree-head')}`];
    const { stdout } = await run(process.execPath, options, { maxBuffer: 10_000_000 });
    await writeFile(join(folder, 'manifest.json'), stdout);
    const signed = join(folder, 'signed');
    await mkdir(signed);
    const webcat = (...args: string[]) => run('webcat', args, inFolder);
    const signer = await hexOf('signing.key');
    const limits = ['--threshold', '1', '--max-age', '2629746', '--cas-url', ORIGIN];
    const [manifest, enrollment] = ['signed/manifest.json', 'signed/enrollment.json'];
    await webcat(
      'enrollment',
      'create',
      '--policy-file',
      'policy',
      '--signer',
      signer,
      ...limits,
      '--output',
      enrollment,
    );
    const input = ['--input', 'manifest.json', '--output', manifest];
    await webcat('manifest', 'sign', '--policy-file', 'policy', '--key', 'signing.key', ...input);
    const output = ['--output', 'signed/bundle.json'];
    await webcat('bundle', 'create', '--enrollment', enrollment, '--manifest', manifest, ...output);
    return signed;
  } finally {
    for (const service of services) service.kill();
  }
}

/** The list of enrolled sites. The test build of the extension does not check who has made it. */
export async function listEnrolled(signed: string): Promise<{ server: Server; requests: () => number }> {
  const enrollment: unknown = JSON.parse(await readFile(join(signed, 'enrollment.json'), 'utf8'));
  const sum = createHash('sha256').update(canonical(enrollment)).digest('hex');
  const hash = '00'.repeat(32);
  const id = { hash, parts: { hash, total: 1 } };
  const names = ['last_commit', 'data', 'validators', 'next_validators', 'consensus', 'last_results', 'evidence'];
  const hashes = Object.fromEntries(names.map((name) => [`${name}_hash`, hash]));
  const address = '00'.repeat(20);
  let requests = 0;
  const list = () => {
    requests += 1;
    const leaves = [['canonical/.1.0.0.127', `0A${sum.length.toString(16)}${sum}`]];
    return { leaves, proof: { app_hash: hash, canonical_root_hash: hash } };
  };
  const block = () => ({
    signed_header: {
      header: {
        ...hashes,
        height: '0',
        last_block_id: id,
        app_hash: hash,
        proposer_address: address,
        time: new Date().toISOString(),
      },
      commit: {
        height: '0',
        round: 0,
        block_id: id,
        signatures: [{ block_id_flag: 0, validator_address: address, signature: `${'AA'.repeat(43)}==` }],
      },
    },
  });
  const server = http
    .createServer(({ url }, response) => {
      const json = url === '/list.json' ? list() : url === '/block.json' ? block() : undefined;
      response.writeHead(json ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    })
    .listen(ENROLLED_PORT, '127.0.0.1');
  await once(server, 'listening');
  return { server, requests: () => requests };
}

export type Change = (passing: { body: Buffer; headers: IncomingHttpHeaders }) => void;

export interface DishonestProxy {
  server: https.Server;
  /** What is changed now. */
  change: { path: RegExp; change: Change; when?: (headers: IncomingHttpHeaders) => boolean } | undefined;
  requested: string[];
}

/** A proxy with TLS in front of a server. */
export async function startDishonestProxy(targetPort: number): Promise<DishonestProxy> {
  const { cert, key } = await makeCertificate();
  const target = { port: targetPort, host: '127.0.0.1' };
  const server = https.createServer({ cert, key }, (request, response) => {
    const { url = '', method } = request;
    proxy.requested.push(url);
    const { path, change: changeIt, when = () => true } = proxy.change ?? {};
    const change = path?.test(url) === true && when(request.headers) ? changeIt : undefined;
    const { 'if-none-match': _etag, ...others } = request.headers;
    const headers = change ? { ...others, 'accept-encoding': 'identity' } : request.headers;
    const passOn = async (received: IncomingMessage, apply: Change) => {
      const changed = { body: await buffer(received), headers: { ...received.headers } };
      apply(changed);
      changed.headers['content-length'] = String(changed.body.length);
      response.writeHead(received.statusCode ?? 0, changed.headers).end(changed.body);
    };
    const passing = http.request({ ...target, path: url, method, headers }, (received) => {
      if (change) void passOn(received, change);
      else received.pipe(response.writeHead(received.statusCode ?? 0, received.rawHeaders));
    });
    passing.on('error', () => response.destroy());
    request.pipe(passing);
  });
  const proxy: DishonestProxy = { server, change: undefined, requested: [] };
  server.listen(PORT, '127.0.0.1');
  await once(server, 'listening');
  return proxy;
}
