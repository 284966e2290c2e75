// Measures the command line client: 1 GiB over loopback, in turns with curl, with age and curl, and with magic-wormhole.
// Arguments: some of the parts. Without: loopback, 1gbit (a network namespace, as root), memory. `costs` and
// `costs-folder`: processor time and memory of one file of 1 GiB, and of 1,000 small files.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NO_RATE_LIMITS } from '../apps/server/testing/no-rate-limits.ts';
import { freePort } from '../apps/server/testing/process.ts';
import { ServerProcess } from '../e2e/support/server-process.ts';
import { ensurePrograms } from '../scripts/ensure-programs.mjs';
import { measureCosts } from './client-costs.ts';
import { makeFile, MB, median, rate, ROUNDS, runParts } from './measuring.ts';
import { memoryMb } from './process-cost.ts';
import { startSink } from './sink-process.ts';

const SELF = fileURLToPath(import.meta.url);
const PACK = fileURLToPath(new URL('../tools/release/pack-cli.mjs', import.meta.url));
const CLIENT = fileURLToPath(new URL('../apps/cli/dist/furoshiki.mjs', import.meta.url));
const SAMPLE_MS = 50;
/** What the reference does with an upload: writes and syncs it, as a server must, or drops all bytes. */
const SINKS = ['stored', 'dropped'] as const;
type Sink = (typeof SINKS)[number];

interface Bench {
  folder: string;
  server: ServerProcess;
  sinkUrl: string;
}

interface Measured {
  ms: number;
  memoryMb: number;
  output: string;
}

/** Runs a program to its end. The memory is the largest of the samples. */
async function run(program: string, args: string[], options: Parameters<typeof spawn>[2] = {}): Promise<Measured> {
  const started = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  let output = '';
  child.stdout?.on('data', (text: Buffer) => (output += String(text)));
  let mostMb = 0;
  const sampling = setInterval(() => (mostMb = Math.max(mostMb, memoryMb(child.pid ?? 0))), SAMPLE_MS);
  const [code] = (await once(child, 'close')) as [number];
  clearInterval(sampling);
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return { ms: performance.now() - started, memoryMb: mostMb, output };
}

const client = ({ folder, server }: Bench, ...args: string[]) =>
  run(process.execPath, [CLIENT, ...args, '--quiet'], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, FUROSHIKI_SERVER: server.url },
  });

async function send(bench: Bench, path: string): Promise<Measured & { link: string; keyFile: string }> {
  const sent = await client(bench, 'send', path, '--downloads', '100');
  const [link = '', key = ''] = sent.output.split('\n');
  const keyFile = join(bench.folder, 'key');
  writeFileSync(keyFile, key);
  return { ...sent, link, keyFile };
}

const receive = (bench: Bench, { link, keyFile }: { link: string; keyFile: string }) =>
  client(bench, 'receive', link, '--key-file', keyFile, '--output', join(bench.folder, 'in'), '--force');

const shell = (command: string) => run('sh', ['-c', command]);

/** A receiver and a sender on this machine, through a mailbox on this machine. Returns both times as one. */
async function wormhole(folder: string, path: string): Promise<number> {
  const port = await freePort();
  const mailbox = spawn(
    'twist3',
    ['wormhole-mailbox', '--usage-db', ':memory:', '--channel-db', ':memory:', '--port', `tcp:${port}`],
    { cwd: folder, stdio: 'ignore' },
  );
  const relay = ['--relay-url', `ws://127.0.0.1:${port}/v1`, '--transit-helper', ''];
  const started: ChildProcess[] = [mailbox];
  try {
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const begun = performance.now();
    const sender = spawn('wormhole', [...relay, 'send', '--hide-progress', '--code', '7-bench-mark', path], {
      stdio: 'ignore',
    });
    started.push(sender);
    await run('wormhole', [
      ...relay,
      'receive',
      '--hide-progress',
      '--accept-file',
      '-o',
      join(folder, 'worm'),
      '7-bench-mark',
    ]);
    return performance.now() - begun;
  } finally {
    for (const child of started) child.kill();
    rmSync(join(folder, 'worm'), { force: true });
  }
}

function print(what: string, bytes: number, ours: number[], theirs: number[], goal: string): void {
  const [us, them] = [median(ours), median(theirs)];
  const speeds = `${rate(bytes, us).toFixed(0)} MB/s, reference ${rate(bytes, them).toFixed(0)} MB/s`;
  console.log(`${what}: ${(them / us).toFixed(2)} of the reference (goal ${goal}; ${speeds})`);
}

async function compare(bench: Bench, bytes: number, goal: string, withOthers: boolean): Promise<void> {
  const path = makeFile(bench.folder, bytes);
  const copy = join(bench.folder, 'copy');
  const times: Record<string, number[]> = {};
  const add = (name: string, ms: number) => (times[name] ??= []).push(ms);
  const curlUp = (file: string, sink: Sink) => `curl -sSf -o /dev/null -T ${file} ${bench.sinkUrl}/${sink}`;
  const curlDown = `curl -sSf -o '${copy}' ${bench.sinkUrl}/sealed/${bytes}`;
  const age = `age -r ${agePublicKey(bench.folder)} '${path}'`;
  // Its first download seals the bytes.
  await shell(curlDown);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const sink of SINKS) add(`curl up, ${sink}`, (await shell(curlUp(`'${path}'`, sink))).ms);
    const sent = await send(bench, path);
    add('send', sent.ms);
    add('curl down', (await shell(curlDown)).ms);
    add('curl down, synced', (await shell(`${curlDown} && sync '${copy}'`)).ms);
    add('receive', (await receive(bench, sent)).ms);
    rmSync(copy);
    if (!withOthers) continue;
    for (const sink of SINKS) add(`age up, ${sink}`, (await shell(`${age} | ${curlUp('-', sink)}`)).ms);
    add('wormhole', await wormhole(bench.folder, path));
  }
  const of = (name: string) => times[name] ?? [];
  for (const sink of SINKS) print(`send against curl -T, ${sink}`, bytes, of('send'), of(`curl up, ${sink}`), goal);
  print('receive against curl -o', bytes, of('receive'), of('curl down'), goal);
  print('receive against curl -o and sync', bytes, of('receive'), of('curl down, synced'), goal);
  if (!withOthers) return;
  for (const sink of SINKS)
    print(`send against age and curl, ${sink}`, bytes, of('send'), of(`age up, ${sink}`), 'above 1');
  const both = of('send').map((ms, index) => ms + (of('receive')[index] ?? 0));
  print('send and receive, one after the other, against magic-wormhole', bytes, both, of('wormhole'), 'above 1');
}

function agePublicKey(folder: string): string {
  const file = join(folder, 'age.key');
  rmSync(file, { force: true });
  execFileSync('age-keygen', ['-o', file], { stdio: 'ignore' });
  return /age1\w+/u.exec(readFileSync(file, 'utf8'))?.[0] ?? '';
}

/** The memory must not grow with the size. */
async function memory(bench: Bench): Promise<void> {
  for (const bytes of [256 * MB, 1024 * MB, 4096 * MB]) {
    const path = makeFile(bench.folder, bytes);
    const sent = await send(bench, path);
    const received = await receive(bench, sent);
    console.log(
      `${bytes / MB} MB: send ${sent.memoryMb.toFixed(0)} MB, receive ${received.memoryMb.toFixed(0)} MB (goal: below 250)`,
    );
    rmSync(path);
  }
}

function costs({ folder, server }: Bench, what: 'file' | 'folder'): Promise<void> {
  const program = `HOME='${folder}' FUROSHIKI_SERVER=${server.url} '${process.execPath}' '${CLIENT}'`;
  const bench = {
    folder,
    send: (name: string) => `${program} send ${name} --downloads 100 --quiet`,
    receive: (link: string) => `${program} receive ${link} --key-file key --output in --force --quiet`,
    agePublicKey: agePublicKey(folder),
  };
  return measureCosts(bench, what);
}

async function withBench(measure: (bench: Bench) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-bench-cli-'));
  const server = await ServerProcess.start({
    ...NO_RATE_LIMITS,
    MAX_DAILY_UPLOAD_BYTES: '1TB',
    MAX_UNSENT_BYTES: '1TB',
  });
  const sink = await startSink();
  try {
    await measure({ folder, server, sinkUrl: sink.url });
  } finally {
    sink.stop();
    await server.discard();
    rmSync(folder, { recursive: true });
  }
}

execFileSync(process.execPath, [PACK], { stdio: ['ignore', 'ignore', 'inherit'] });
const missing = ensurePrograms('curl', 'age');
if (missing !== undefined) throw new Error(missing);
await runParts<(bench: Bench) => Promise<void>>(
  SELF,
  {
    loopback: (bench) => compare(bench, 1024 * MB, '0.5', true),
    'inside-1gbit': (bench) => compare(bench, 1024 * MB, '0.97', false),
    'inside-100mbit': (bench) => compare(bench, 64 * MB, '0.97', false),
    memory,
    costs: (bench) => costs(bench, 'file'),
    'costs-folder': (bench) => costs(bench, 'folder'),
  },
  withBench,
);
