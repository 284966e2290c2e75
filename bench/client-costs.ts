// What a client costs: processor time, wall time and memory to send and to receive, in turns with other programs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { freePort } from '../apps/server/testing/process.ts';
import { makeFile, MB, median, ROUNDS } from './measuring.ts';
import { memoryMb } from './process-cost.ts';

const SAMPLE_MS = 50;

interface Cost {
  cpuSeconds: number;
  wallSeconds: number;
  memoryMb: number;
}

interface Costs {
  send: Cost;
  receive: Cost;
}

/** Runs a line of bash, which counts the processor time of everything in it. */
async function cost(line: string, cwd: string): Promise<Cost & { output: string }> {
  const child = spawn('bash', ['-c', `set -o pipefail; TIMEFORMAT='cpu %U %S'; time { ${line}\n}`], { cwd });
  const started = performance.now();
  let output = '';
  let errors = '';
  child.stdout.on('data', (text: Buffer) => (output += String(text)));
  child.stderr.on('data', (text: Buffer) => (errors += String(text)));
  let mostMb = 0;
  const sampling = setInterval(() => (mostMb = Math.max(mostMb, memoryMb(child.pid ?? 0))), SAMPLE_MS);
  const [code] = (await once(child, 'close')) as [number];
  clearInterval(sampling);
  const [, user, system] = /^cpu ([\d.]+) ([\d.]+)$/mu.exec(errors) ?? [];
  if (code !== 0 || user === undefined) throw new Error(`${line} ended with ${code}: ${errors}`);
  const wallSeconds = (performance.now() - started) / 1000;
  return { cpuSeconds: Number(user) + Number(system), wallSeconds, memoryMb: mostMb, output };
}

/** Keeps what is sent to it in files, and returns them. */
async function startStore(folder: string): Promise<{ url: string; stop: () => void }> {
  const server = createServer((request, response) => {
    const path = join(folder, `stored-${request.url?.slice(1)}`);
    if (request.method === 'PUT')
      void pipeline(request, createWriteStream(path, { flush: true })).then(() => response.end());
    else void pipeline(createReadStream(path), response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
}

interface Others {
  folder: string;
  storeUrl: string;
  agePublicKey: string;
}

const AGE_KEY = 'age.key';

/** Sends `name` by curl, with or without age. A folder goes as a tar. */
async function byCurl({ folder, storeUrl, agePublicKey }: Others, name: string, isFolder: boolean, seals: boolean) {
  const read = isFolder ? `tar c ${name}` : `cat ${name}`;
  const up = `curl -sSf -o /dev/null -T - ${storeUrl}/x`;
  const down = `curl -sSf ${storeUrl}/x`;
  const write = isFolder ? 'tar x -C in' : 'cat > in/file';
  const send = await cost(seals ? `${read} | age -r ${agePublicKey} | ${up}` : `${read} | ${up}`, folder);
  const receive = await cost(seals ? `${down} | age -d -i ${AGE_KEY} | ${write}` : `${down} | ${write}`, folder);
  return { send, receive };
}

/** Both ends run at the same time. */
async function byWormhole(folder: string, name: string): Promise<Costs> {
  const port = await freePort();
  const data = ['--usage-db', ':memory:', '--channel-db', ':memory:'];
  const mailbox: ChildProcess = spawn('twist3', ['wormhole-mailbox', ...data, '--port', `tcp:${port}`], {
    cwd: folder,
    stdio: 'ignore',
  });
  const program = `wormhole --relay-url ws://127.0.0.1:${port}/v1 --transit-helper ''`;
  try {
    const isUp = () =>
      fetch(`http://127.0.0.1:${port}/`).then(
        () => true,
        () => false,
      );
    while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 100));
    const sending = cost(`${program} send --hide-progress --code 7-bench-mark ${name}`, folder);
    const receiving = cost(`${program} receive --hide-progress --accept-file -o in/worm 7-bench-mark`, folder);
    const [send, receive] = await Promise.all([sending, receiving]);
    return { send, receive };
  } finally {
    mailbox.kill();
  }
}

export interface CostBench {
  folder: string;
  /** The command lines of our client. */
  send: (name: string) => string;
  receive: (link: string) => string;
  agePublicKey: string;
}

async function byOurs({ folder, send, receive }: CostBench, name: string): Promise<Costs> {
  const sent = await cost(`${send(name)} | tee sent; tail -n 1 sent > key`, folder);
  const [link = ''] = sent.output.split('\n');
  return { send: sent, receive: await cost(receive(link), folder) };
}

/** Prints the medians of each program: of one file of 1 GiB, or of a folder with 1,000 files of 28 KB. */
export async function measureCosts(bench: CostBench, what: 'file' | 'folder'): Promise<void> {
  const { folder, agePublicKey } = bench;
  const store = await startStore(folder);
  const others = { folder, storeUrl: store.url, agePublicKey };
  const isFolder = what === 'folder';
  if (isFolder) {
    mkdirSync(join(folder, what));
    for (let number = 0; number < 1000; number += 1) makeFile(join(folder, what), 28 * 1024, `${number}.bin`);
  } else makeFile(folder, 1024 * MB, what);
  const programs: Record<string, () => Promise<Costs>> = {
    furoshiki: () => byOurs(bench, what),
    [isFolder ? 'tar and curl' : 'curl']: () => byCurl(others, what, isFolder, false),
    [isFolder ? 'tar, age and curl' : 'age and curl']: () => byCurl(others, what, isFolder, true),
    'magic-wormhole': () => byWormhole(folder, what),
  };
  const measured = new Map<string, Costs[]>();
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [program, measure] of Object.entries(programs)) {
        mkdirSync(join(folder, 'in'));
        measured.set(program, [...(measured.get(program) ?? []), await measure()]);
        rmSync(join(folder, 'in'), { recursive: true });
      }
  } finally {
    store.stop();
  }
  for (const [program, costs] of measured) print(what, program, costs);
}

function print(what: string, program: string, costs: readonly Costs[]): void {
  const of = (end: keyof Costs) => {
    const middle = (key: keyof Cost) => median(costs.map((one) => one[end][key]));
    const [cpu, wall] = [middle('cpuSeconds').toFixed(2), middle('wallSeconds').toFixed(1)];
    return `${end} ${cpu} s of processor time, ${wall} s, ${middle('memoryMb').toFixed(0)} MB`;
  };
  console.log(`${what}, ${program}: ${of('send')}; ${of('receive')}`);
}
