// What an operator and a client see of a fault, as short texts without addresses, paths and times.
import { once } from 'node:events';
import type { Finding } from '../../src/admin/doctor/check.ts';
import { type Environment, runToExit, spawnEntry } from '../process.ts';
import type { Reply } from '../test-client.ts';
import { type Acknowledged, boundedFetch, completeUpload, type Subject } from './subject.ts';

const START_MS = 120_000;
const WORKS = 'works';
const LEVELS: Record<number, string> = { 40: 'warn', 50: 'error', 60: 'fatal' };

export type Observation = Record<'start' | 'doctor' | 'upload' | 'download' | 'readyz' | 'metrics' | 'log', string>;

/** Starts a server with the same settings, after the first one has stopped. */
export async function probeStart(environment: Environment): Promise<string> {
  const signal = AbortSignal.timeout(START_MS);
  const child = spawnEntry('main', [], { ...environment, PORT: '0' });
  signal.addEventListener('abort', () => child.kill('SIGKILL'));
  let errors = '';
  let isUp = false;
  child.stderr.on('data', (text) => (errors += text));
  child.stdout.once('data', () => {
    isUp = true;
    child.kill('SIGTERM');
  });
  await once(child, 'close');
  if (isUp) return 'starts';
  if (signal.aborted) return 'neither starts nor ends';
  return `ends with ${child.exitCode}: ${firstLine(errors).replace(/^furoshiki: /u, '')}`;
}

/** Returns the checks that failed. */
export async function probeDoctor(environment: Environment): Promise<string> {
  const { stdout, stderr } = await runToExit('admin', ['doctor', '--json'], environment);
  if (stdout === '') return `ends: ${firstLine(stderr)}`;
  const { findings } = JSON.parse(stdout) as { findings: (Finding & { name: string })[] };
  const failing = findings.filter(({ state }) => state === 'failed');
  return failing.map(({ name, text }) => `${name}: ${text}`).join('; ');
}

export async function probeUpload({ sender, opened, stored }: Acknowledged): Promise<string> {
  const [put, init, complete] = await Promise.all([
    outcomeOf(sender.put(opened.presignedUrl, opened.sealed)),
    outcomeWithUrl(sender.init(), (url) => sender.put(url, opened.sealed)),
    outcomeOf(completeUpload(sender, stored)),
  ]);
  return together({ init, put, complete });
}

export async function probeDownload({ recipient, fileId, grantedUrl }: Acknowledged): Promise<string> {
  const [grant, bytes] = await Promise.all([
    outcomeWithUrl(recipient.get(`/download/${fileId}`), boundedFetch),
    outcomeOf(boundedFetch(grantedUrl)),
  ]);
  return together({ grant, bytes });
}

export async function probeReadiness({ url }: Subject): Promise<string> {
  const response = await boundedFetch(`${url}/readyz`);
  const { failing = [] } = (await response.json()) as { failing?: string[] };
  return [response.status, ...failing].join(' ');
}

/** Returns the series that say that something is wrong, and did not before. */
export function probeMetrics(before: Map<string, number>, now: Map<string, number>): string {
  const grown = [...now].filter(([name, value]) => name.includes('status="5') && value > (before.get(name) ?? 0));
  const down = [...now].filter(([name, value]) => /_ready|_free_/u.test(name) && value === 0 && before.get(name) !== 0);
  const [gone, ...others] = [...before.keys()].filter((name) => !now.has(name));
  return [
    ...grown.map(([name]) => `\`${name}\``),
    ...down.map(([name]) => `\`${name}\` 0`),
    ...(gone === undefined ? [] : [`no \`${gone}\` and ${others.length} others`]),
  ].join(', ');
}

/**
 * Returns the kinds of lines of level warn and above, however many there are of each. How a call meets a fault depends on the moment:
 * on a slow machine it may time out before it does, and the fault may cut its connection. Such a reason counts only if no line gives
 * another one.
 */
export function probeLog(log: string): string {
  const lines = log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
    .map(({ level, msg, code, err }) => ({ name: LEVELS[level], msg, reason: err ? reasonOf(err) : code }))
    .filter(({ name }) => name !== undefined);
  const isOfTheMoment = (reason = '') => OF_THE_MOMENT.has(reason);
  const facts = lines.filter(
    ({ msg, reason }) =>
      !isOfTheMoment(reason) || !lines.some((other) => other.msg === msg && !isOfTheMoment(other.reason)),
  );
  const texts = facts.map(({ name, msg, reason }) => `${name}: ${msg}${reason ? ` (${reason})` : ''}`);
  return [...new Set(texts)].toSorted().join('; ');
}

const OF_THE_MOMENT = new Set(['ETIMEDOUT', 'ECONNRESET', 'Connection terminated unexpectedly']);

interface LoggedError {
  message: string;
  code?: string;
  cause?: LoggedError;
}

interface LogLine {
  level: number;
  msg: string;
  code?: string;
  err?: LoggedError;
}

function reasonOf({ message, code, cause }: LoggedError): string {
  return cause ? reasonOf(cause) : (code ?? firstLine(message));
}

/** The outcome of a call, or if it worked, of the URL that it returned. */
async function outcomeWithUrl(asked: Promise<Reply>, follow: (url: string) => Promise<Response>): Promise<string> {
  const called = await outcomeOf(asked);
  if (called !== WORKS) return called;
  const followed = await outcomeOf(follow((await asked).body.presignedUrl));
  return followed === WORKS ? WORKS : `works, but its URL ${followed}`;
}

async function outcomeOf(asked: Promise<Reply | Response>): Promise<string> {
  let response: Reply | Response;
  try {
    response = await asked;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    return `no response (${cause?.code ?? name})`;
  }
  const { status } = response;
  if (status === 200) return WORKS;
  const text = response instanceof Response ? await response.text() : JSON.stringify(response.body);
  const [, code = ''] = /"errorCode":"(\w+)"|<Code>(\w+)<\/Code>/u.exec(text)?.filter(Boolean) ?? [];
  const retries = status === 503 && !response.headers.has('retry-after') ? ' without Retry-After' : '';
  return `${status}${code && ` ${code}`}${retries}`;
}

/** One text if all calls have the same outcome. */
function together(outcomes: Record<string, string>): string {
  const [first = '', ...others] = new Set(Object.values(outcomes));
  if (others.length === 0) return first;
  return Object.entries(outcomes)
    .map(([name, outcome]) => `${name} ${outcome}`)
    .join(', ');
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
