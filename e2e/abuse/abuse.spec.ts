// One client address attacks a server with default settings. Another one must be able to work as usual.
// `npm run test:abuse` measures speed and response times as well, which needs an otherwise idle machine.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type MadeCertificate, makeCertificate } from '../../apps/server/testing/certificate.ts';
import { IS_LONG } from '../support/long.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

const VISITOR_MB = IS_LONG ? 200 : 30;
/** Enough for every attack to meet its limit. */
const ATTACK_MS = IS_LONG ? 15_000 : 3000;
/** The default is 12,000. A short attack does not get so far. */
const READS_PER_HOUR = IS_LONG ? 12_000 : 500;
/** An idle server has about 150 MB. The rest is what one address can occupy. */
const MAX_MEMORY_MB = 512;

type Counts = Record<string, number>;
interface Times {
  uploadMs: number;
  downloadMs: number;
}

const scriptOf = (name: string) => fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
let certificate: MadeCertificate;
let server: ServerProcess;
let undisturbed: Times;
let attackers = 0;

test.beforeAll(async () => {
  certificate = await makeCertificate();
  server = await ServerProcess.start({
    TLS_CERT_FILE: certificate.certFile,
    TLS_KEY_FILE: certificate.keyFile,
    READS_PER_HOUR: String(READS_PER_HOUR),
  });
  undisturbed = await visit();
});
test.afterAll(async () => {
  await server.discard();
  await certificate.discard();
});

const environment = () => ({ PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: certificate.certFile });

async function visit(): Promise<Times> {
  const args = [scriptOf('visitor'), server.url, String(VISITOR_MB)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment() });
  return JSON.parse(stdout) as Times;
}

/** Starts an attack from an address of its own. In reality it has its own processor, so here it is the last to get one. */
function startAttack(name: string): ChildProcess {
  attackers += 1;
  const args = ['-n', '19', process.execPath, scriptOf('attacker'), name, server.url, `127.0.1.${attackers}`];
  return spawn('nice', args, { env: environment(), stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Ends the attack and returns what it met. */
async function endAttack({ stdin, stdout }: ChildProcess): Promise<Counts> {
  if (!stdin || !stdout) throw new Error('the attack has no pipes');
  stdin.end();
  return JSON.parse(await text(stdout)) as Counts;
}

/** Returns the longest response time until the signal. */
async function watchHealth(signal: AbortSignal): Promise<number> {
  const agent = new Agent({ ca: certificate.cert, keepAlive: true });
  let longestMs = 0;
  while (!signal.aborted) {
    const startedMs = performance.now();
    const [response] = (await once(get(`${server.url}/healthz`, { agent }), 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    response.resume();
    longestMs = Math.max(longestMs, performance.now() - startedMs);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  agent.destroy();
  return longestMs;
}

function peakMemoryMb(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/mu.exec(status)?.[1]) / 1024;
}

const openConnections = ({ connected = 0, closed = 0 }: Counts) => connected - closed;

const attacks: Record<string, (counts: Counts) => void> = {
  reservations(counts) {
    // 25 GB may be announced and not sent: two of the largest files.
    expect(counts['200']).toBeLessThanOrEqual(2);
    expect(counts['429']).toBeGreaterThan(0);
  },
  pages(counts) {
    expect(counts['404']).toBeLessThanOrEqual(READS_PER_HOUR);
    expect(counts['429']).toBeGreaterThan(0);
  },
  readers: (counts) => expect(openConnections(counts)).toBeLessThanOrEqual(128),
  writers: (counts) => expect(openConnections(counts)).toBeLessThanOrEqual(128),
  bodies: (counts) => expect(openConnections(counts)).toBeLessThanOrEqual(128),
  resets(counts) {
    const ended = Object.keys(counts).filter((outcome) => outcome.startsWith('goaway'));
    expect(ended).not.toEqual([]);
  },
};

for (const [name, expectLimit] of Object.entries(attacks)) {
  test(`an attack with ${name} meets its limit, and another visitor's file arrives unchanged`, async () => {
    const attack = startAttack(name);
    const ended = new AbortController();
    const health = watchHealth(ended.signal);
    await new Promise((resolve) => setTimeout(resolve, ATTACK_MS));
    const { uploadMs, downloadMs } = await visit();
    ended.abort();
    const longestHealthMs = await health;
    const counts = await endAttack(attack);
    const memoryMb = peakMemoryMb();
    if (IS_LONG)
      console.log(name, JSON.stringify({ counts, longestHealthMs, memoryMb, undisturbed, uploadMs, downloadMs }));
    expectLimit(counts);
    expect(memoryMb).toBeLessThan(MAX_MEMORY_MB);
    if (!IS_LONG) return;
    expect(uploadMs).toBeLessThan(2 * undisturbed.uploadMs);
    expect(downloadMs).toBeLessThan(2 * undisturbed.downloadMs);
    expect(longestHealthMs).toBeLessThan(1000);
  });
}
