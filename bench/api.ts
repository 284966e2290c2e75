// Measures the server: calls against a bare Fastify route, and bytes against nginx, on this machine and in the same run.
// Arguments: calls, bytes, or nothing for both.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { INIT, TestClient } from '../apps/server/testing/test-client.ts';
import { NO_RATE_LIMITS } from '../apps/server/testing/no-rate-limits.ts';
import { ServerProcess } from '../e2e/support/server-process.ts';
import { ensurePrograms } from '../scripts/ensure-programs.mjs';
import { median } from './measuring.ts';
import { type Load, load } from './wrk.ts';

/** Calls run in turns, so that other load on the machine affects all of them. The first round is a warm-up. */
const ROUNDS = 5;
const MB = 1024 * 1024;
const PART = 25 * MB + 28;

const missing = ensurePrograms('wrk', 'nginx', 'curl');
if (missing !== undefined) throw new Error(missing);

const folder = mkdtempSync(join(tmpdir(), 'furoshiki-bench-'));
const server = await ServerProcess.start(NO_RATE_LIMITS);
const client = new TestClient(server.url);

function ask(url: string, method = 'GET', body = ''): Promise<Load> {
  return load(
    url,
    [
      `wrk.method = ${JSON.stringify(method)}`,
      `wrk.body = ${body === '' ? 'nil' : JSON.stringify(body)}`,
      'wrk.headers["accept"] = "application/json"',
      'wrk.headers["content-type"] = "application/json"',
      `wrk.headers["cookie"] = ${JSON.stringify(client.cookie)}`,
      `wrk.headers["x-csrf-token"] = ${JSON.stringify(client.token)}`,
    ].join('\n'),
  );
}

async function calls(): Promise<void> {
  const bare = spawn(process.execPath, [fileURLToPath(new URL('bare-server.ts', import.meta.url))]);
  const [line] = (await once(bare.stdout, 'data')) as [Buffer];
  const bareUrl = String(line).trim();
  const file = await client.send(new Uint8Array(randomBytes(1000)), { downloadLimit: 100 });
  const { body: open } = await client.init();
  const name = { uploadId: open.uploadId, fileKey: open.fileKey };
  const etag = (await client.putPart(name, 1, new Uint8Array(INIT.fileSize + 28))).headers.get('etag');
  const api = `${server.url}/api`;
  const rows: [string, () => Promise<Load>][] = [
    ['bare route', () => ask(bareUrl)],
    ['config', () => ask(`${api}/config`)],
    ['page', () => ask(`${api}/download/page/${file.pageID}`)],
    ['file info', () => ask(`${api}/download/info/${file.id}`)],
    ['grant, renewed', () => ask(`${api}/download/${file.id}`)],
    ['token', () => ask(`${api}/csrf-token`, 'POST')],
    ['presigned-url', () => ask(`${api}/upload/presigned-url`, 'POST', JSON.stringify({ ...name, partNumber: 1 }))],
    [
      'complete-part',
      () => ask(`${api}/upload/complete-part`, 'POST', JSON.stringify({ ...name, partNumber: 1, etag })),
    ],
    ['init', () => ask(`${api}/upload/init`, 'POST', JSON.stringify(INIT))],
  ];
  const rounds: Load[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const loads: Load[] = [];
    for (const [, run] of rows) loads.push(await run());
    if (round > 0) rounds.push(loads);
  }
  bare.kill();
  const reference = median(rounds.map((loads) => loads[0]?.perSecond ?? 0));
  console.log('call                 per second        p99   of bare');
  for (const [index, [what]] of rows.entries()) {
    const perSecond = median(rounds.map((loads) => loads[index]?.perSecond ?? 0));
    const p99 = rounds.at(-1)?.[index]?.p99 ?? '?';
    const ratio = (perSecond / reference).toFixed(2);
    console.log(`${what.padEnd(20)} ${perSecond.toFixed(0).padStart(10)} ${p99.padStart(10)} ${ratio.padStart(9)}`);
  }
}

function startNginx(): { url: string; process: ChildProcess } {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  mkdirSync(join(folder, 'www'));
  mkdirSync(join(folder, 'body'));
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; user root; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
     events { worker_connections 512; }
     http { access_log off; client_body_temp_path ${folder}/body; client_max_body_size 0; sendfile on;
       server { listen 127.0.0.1:${port}; root ${folder}/www; location / { dav_methods PUT; } } }`,
  );
  return { url: `http://127.0.0.1:${port}`, process: spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder]) };
}

/** Runs curl for all URLs, `atOnce` in parallel. Returns MB/s. */
async function transfer(urls: string[], atOnce: number, upload?: string): Promise<number> {
  const args = ['-sSf', '--parallel', '--parallel-immediate', '--parallel-max', String(atOnce)];
  for (const url of urls)
    args.push(...(upload === undefined ? ['-o', '/dev/null', url] : ['-o', '/dev/null', '-T', upload, url]));
  const start = performance.now();
  await promisify(execFile)('curl', args, { maxBuffer: 64 * MB });
  return (urls.length * PART) / 1e6 / ((performance.now() - start) / 1000);
}

function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/u.exec(status)?.[1]) / 1024;
}

/** Returns the medians of both. The first round is a warm-up. */
async function inTurns(our: () => Promise<number>, their: () => Promise<number>) {
  const rounds: [number, number][] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push([await our(), await their()]);
  const [ours, theirs] = [0, 1].map((side) => median(rounds.slice(1).map((pair) => pair[side] ?? 0)));
  return { ours: ours ?? 0, theirs: theirs ?? 0 };
}

async function bytes(): Promise<void> {
  const nginx = startNginx();
  const part = join(folder, 'part.bin');
  writeFileSync(part, randomBytes(PART));
  const parts = 40;
  const { body: open } = await client.init({ fileSize: parts * 25 * MB });
  const name = { uploadId: open.uploadId, fileKey: open.fileKey };
  const signed = await Promise.all(
    Array.from({ length: parts }, async (_, n) => {
      const { body } = await client.post('/upload/presigned-url', { ...name, partNumber: n + 1 });
      return body.presignedUrl as string;
    }),
  );
  const onNginx = signed.map((_, n) => `${nginx.url}/part-${n}`);
  const puts = await inTurns(
    () => transfer(signed, 4, part),
    () => transfer(onNginx, 4, part),
  );
  const { body: status } = await client.post('/upload/status', name);
  const metadata = {
    chunkSize: open.chunkSize,
    salt: randomBytes(16).toString('base64'),
    keyCheck: randomBytes(28).toString('base64'),
  };
  const { body: file } = await client.post('/upload/complete', { ...name, metadata, parts: status.parts });
  const { body: grant } = await client.get(`/download/${file.downloadId}`);
  const readUrls = (url: string) => Array.from({ length: parts }, () => url);
  const ranged = async (url: string, atOnce: number) => {
    // curl uses one range for all URLs, so each request reads the first part, from the page cache in both servers.
    const args = [
      '-sSf',
      '--parallel',
      '--parallel-immediate',
      '--parallel-max',
      String(atOnce),
      '-r',
      `0-${PART - 1}`,
    ];
    for (const address of readUrls(url)) args.push('-o', '/dev/null', address);
    const start = performance.now();
    await promisify(execFile)('curl', args, { maxBuffer: 64 * MB });
    return (parts * PART) / 1e6 / ((performance.now() - start) / 1000);
  };
  const gets = await inTurns(
    () => ranged(grant.presignedUrl, 4),
    () => ranged(`${nginx.url}/part-0`, 4),
  );
  console.log('\nbytes                       MB/s   nginx MB/s   ratio');
  for (const [what, { ours, theirs }] of [
    ['PUT, 4 at once', puts],
    ['GET of ranges, 4 at once', gets],
  ] as const) {
    console.log(
      `${what.padEnd(25)} ${ours.toFixed(0).padStart(6)} ${theirs.toFixed(0).padStart(12)} ${(ours / theirs).toFixed(2).padStart(7)}`,
    );
  }

  const before = residentMb(server.pid);
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, residentMb(server.pid))), 20);
  await ranged(grant.presignedUrl, 40);
  await Promise.all([ranged(grant.presignedUrl, 40), ranged(grant.presignedUrl, 24)]);
  clearInterval(watch);
  console.log(
    `\nmemory of the server: ${before.toFixed(0)} MB before, at most ${peak.toFixed(0)} MB under 64 parallel transfers of 25 MB`,
  );
  nginx.process.kill();
}

const parts: Record<string, () => Promise<void>> = { calls, bytes };
const asked = process.argv.slice(2);

try {
  for (const part of asked.length > 0 ? asked : Object.keys(parts))
    await (parts[part]?.() ?? Promise.reject(new Error(`no such part: ${part}`)));
} finally {
  await server.discard();
  rmSync(folder, { recursive: true });
}
