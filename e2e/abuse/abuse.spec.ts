// One client address attacks a server with default settings. Another one must be able to work as usual.
// `npm run test:abuse` measures speed and response times as well, which needs an otherwise idle machine.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Agent, get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type MadeCertificate, makeCertificate } from '../../apps/server/testing/certificate.ts';
import { STEP_MS } from '../support/limits.ts';
import { IS_LONG } from '../support/long.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';

const VISITOR_MB = IS_LONG ? 200 : 30;
/** How long an attack lasts before the response times are measured. Without measuring, it lasts until it meets its limit. */
const ATTACK_MS = 15_000;
/** How many the attacker tries to open, and how many of one address may be open. */
const [CONNECTIONS, MAX_CONNECTIONS] = [500, 128];
/** The default is 12,000. A short attack does not get so far. */
const READS_PER_HOUR = IS_LONG ? 12_000 : 500;
/** An idle server has about 150 MB. The rest is what one address can occupy. */
const MAX_MEMORY_MB = 512;
/**
 * Ten addresses together: 465 to 490 MB on an idle machine with 24 GB. How much garbage is among it depends on the machine, so the
 * short run leaves room for it. Without the limits it is more than 760 MB.
 */
const MAX_MEMORY_OF_TEN_MB = IS_LONG ? 512 : 640;

/** Of one part in an hour. */
const MAX_WRITES = 150;

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
  server = await startServer();
  undisturbed = await visit();
});
test.afterAll(async () => {
  await server.discard();
  await certificate.discard();
});

const startServer = () =>
  ServerProcess.start({
    TLS_CERT_FILE: certificate.certFile,
    TLS_KEY_FILE: certificate.keyFile,
    READS_PER_HOUR: String(READS_PER_HOUR),
  });

const environment = () => ({ PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: certificate.certFile });

async function visit(): Promise<Times> {
  const args = [scriptOf('visitor'), server.url, String(VISITOR_MB)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment() });
  return JSON.parse(stdout) as Times;
}

/** Starts an attack from an address of its own. In reality it has its own processor, so here it is the last to get one. */
function startAttack(name: string) {
  attackers += 1;
  const args = ['-n', '19', process.execPath, scriptOf('attacker'), name, server.url, `127.0.1.${attackers}`];
  const { stdin, stdout } = spawn('nice', args, { env: environment(), stdio: ['pipe', 'pipe', 'inherit'] });
  let counts: Counts = {};
  const lines = createInterface(stdout).on('line', (line) => (counts = JSON.parse(line) as Counts));
  return {
    /** What it has met so far. */
    counts: () => counts,
    /** Ends it, and returns all that it has met. */
    async end(): Promise<Counts> {
      stdin.end();
      await once(lines, 'close');
      return counts;
    },
  };
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
    await sleep(100);
  }
  agent.destroy();
  return longestMs;
}

function peakMemoryMb(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/mu.exec(status)?.[1]) / 1024;
}

interface Attack {
  /** Whether it has got as far as it can, however slow the machine is. */
  hasMetLimit: (counts: Counts) => boolean;
  /** What it may not exceed. */
  expectLimit: (counts: Counts) => void;
}

/** Holds as many connections as it can. Of those beyond the limit, none gets as far as TLS. */
const holdsConnections: Attack = {
  hasMetLimit: ({ connected = 0, refused = 0 }) => connected + refused === CONNECTIONS,
  expectLimit({ connected = 0, lost = 0, refused = 0 }) {
    expect(connected - lost).toBeLessThanOrEqual(MAX_CONNECTIONS);
    // A few of the allowed ones are used by the calls that prepare the attack.
    expect(connected).toBeGreaterThan(MAX_CONNECTIONS - 10);
    expect(refused).toBeGreaterThan(0);
  },
};

/** Some of the connections get the beginning of a file. Otherwise the attack would only hold connections. */
const readsFile: Attack = {
  hasMetLimit: (counts) => holdsConnections.hasMetLimit(counts) && counts['200'] !== undefined,
  expectLimit: holdsConnections.expectLimit,
};

/** The server waits for bodies. It would respond at once to a request that it refuses. */
const sendsBodies: Attack = {
  hasMetLimit: holdsConnections.hasMetLimit,
  expectLimit(counts) {
    holdsConnections.expectLimit(counts);
    expect(waiting(counts)).toBeGreaterThan(MAX_CONNECTIONS / 4);
  },
};

/** How many connections have got no response. */
function waiting({ connected = 0, ...others }: Counts): number {
  const responses = Object.entries(others).filter(([outcome]) => /^\d{3}$/u.test(outcome));
  return responses.reduce((left, [, times]) => left - times, connected);
}

const attacks: Record<string, Attack> = {
  reservations: {
    hasMetLimit: (counts) => counts['429'] !== undefined,
    // 25 GB may be announced and not sent: two of the largest files.
    expectLimit({ '200': reserved = 0 }) {
      expect(reserved).toBeGreaterThan(0);
      expect(reserved).toBeLessThanOrEqual(2);
    },
  },
  pages: {
    hasMetLimit: (counts) => counts['429'] !== undefined,
    expectLimit: (counts) => expect(counts['404']).toBe(READS_PER_HOUR),
  },
  largePages: {
    hasMetLimit: (counts) => counts['429'] !== undefined,
    // The largest page counts as eight reads more than a small one.
    expectLimit({ '200': served = 0 }) {
      expect(served).toBeGreaterThan(READS_PER_HOUR / 16);
      expect(served).toBeLessThanOrEqual(READS_PER_HOUR / 8);
    },
  },
  readers: readsFile,
  writers: sendsBodies,
  bodies: sendsBodies,
  assets: {
    // All streams of all sessions.
    hasMetLimit: ({ cut = 0, lost = 0, '200': served = 0, '429': refused = 0 }) =>
      cut > 1000 && lost > 0 && served + refused > 0,
    expectLimit({ connected = 0, lost = 0, '200': served = 0, '429': refused = 0 }) {
      // A session of HTTP/2 counts twice.
      expect(connected - lost).toBeLessThanOrEqual(MAX_CONNECTIONS / 2);
      expect(connected).toBeGreaterThan(MAX_CONNECTIONS / 2 - 10);
      // 64 run at once. Those that waited got a place when others were cut off.
      expect(served).toBeGreaterThan(0);
      expect(served + refused).toBeLessThan(1000);
    },
  },
  documents: {
    hasMetLimit: (counts) => counts['429'] !== undefined,
    expectLimit: (counts) => expect(counts['200']).toBe(READS_PER_HOUR),
  },
  parts: {
    hasMetLimit: (counts) => counts['429'] !== undefined,
    // Each part that is sent again replaces one that is being written, whose connection is closed.
    expectLimit({ '200': written = 0, failed = 0 }) {
      expect(written).toBeGreaterThan(0);
      expect(written).toBeLessThanOrEqual(MAX_WRITES);
      expect(written + failed).toBeGreaterThanOrEqual(MAX_WRITES);
      // A connection may also break for another reason.
      expect(written + failed).toBeLessThan(2 * MAX_WRITES);
    },
  },
  resets: {
    hasMetLimit: (counts) => Object.keys(counts).some((outcome) => outcome.startsWith('goaway')),
    expectLimit: ({ reset = 0 }) => expect(reset).toBeGreaterThan(100),
  },
};

for (const [name, { hasMetLimit, expectLimit }] of Object.entries(attacks)) {
  test(`an attack with ${name} meets its limit, and another visitor's file arrives unchanged`, {
    tag: '@alone',
  }, async () => {
    const attack = startAttack(name);
    const ended = new AbortController();
    const health = watchHealth(ended.signal);
    if (IS_LONG) await sleep(ATTACK_MS);
    await expect.poll(() => hasMetLimit(attack.counts())).toBe(true);
    const { uploadMs, downloadMs } = await visit();
    ended.abort();
    const longestHealthMs = await health;
    const counts = await attack.end();
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

test('ten addresses that read and write nothing keep the server below its memory, and another visitor is served', {
  tag: '@alone',
}, async () => {
  const kinds = ['readers', 'writers', 'assets'];
  const names = Array.from({ length: 10 }, (_, number) => kinds[number % kinds.length] ?? '');
  // The peak of its memory is that of its whole life, with the attacks before.
  await server.discard();
  server = await startServer();
  const running = names.map((name) => ({ name, ...startAttack(name) }));
  /** Whether it holds connections, and the server has something to do for them. */
  function hasStarted({ name, ...attack }: (typeof running)[number]): boolean {
    const { connected = 0, '200': served = 0, ...others } = attack.counts();
    const isServed = name === 'writers' ? waiting({ connected, ...others }) > MAX_CONNECTIONS / 4 : served > 0;
    return connected > MAX_CONNECTIONS / 2 - 10 && isServed;
  }
  await expect.poll(() => running.every(hasStarted), { timeout: STEP_MS }).toBe(true);
  await visit();
  const counts = await Promise.all(running.map((attack) => attack.end()));
  const memoryMb = peakMemoryMb();
  if (IS_LONG) console.log('ten addresses', JSON.stringify({ counts, memoryMb }));
  expect(memoryMb).toBeLessThan(MAX_MEMORY_OF_TEN_MB);
});
