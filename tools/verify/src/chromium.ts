// Drives Chromium over a pipe. What it has received comes from its own log of the network, which a page cannot avoid: it has each
// request of pages, workers and service workers, with headers as they came and bodies as they were used.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ABORTED,
  ANSWER_MS,
  BrowserError,
  createCommands,
  type DrivenBrowser,
  launch,
  type Received,
} from './driven-browser.ts';

const LOG = 'network.json';
const IS_ROOT = process.getuid?.() === 0;
/** The code of a request that the page itself has ended. */
const ABORTED_CODE = -3;

/** Without a window, it would name itself HeadlessChrome. */
export async function startChromium(program: string): Promise<DrivenBrowser> {
  const first = await start(program);
  const version = await first.commands.command('Browser.getVersion');
  await first.close();
  await first.discard();
  const userAgent = String(version['userAgent']).replace('HeadlessChrome', 'Chrome');
  const { commands, events, folder, close, discard } = await start(program, `--user-agent=${userAgent}`);
  try {
    const { targetId } = await commands.command('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await commands.command('Target.attachToTarget', { targetId, flatten: true });
    const inPage = (method: string, parameters: object = {}) => commands.command(method, parameters, { sessionId });
    await inPage('Page.enable');
    return {
      name: String(version['product']).replace('HeadlessChrome', 'Chrome').replace('/', ' '),
      hidden: [],
      async open(url) {
        const loaded = events.next('Page.loadEventFired');
        const { errorText } = await inPage('Page.navigate', { url });
        if (typeof errorText === 'string') throw new BrowserError(errorText);
        await loaded;
      },
      async run(expression) {
        await inPage('Runtime.evaluate', { expression, awaitPromise: true });
      },
      async end() {
        await close();
        const received = await readLog(join(folder, LOG));
        await discard();
        return received;
      },
      discard,
    };
  } catch (thrown) {
    await discard();
    throw thrown;
  }
}

async function start(program: string, ...more: string[]) {
  const { child, folder, discard } = await launch(
    program,
    (profile) => [
      '--headless=new',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      '--no-first-run',
      // It connects to nothing else.
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // A container often has no GPU, and no user but root.
      '--disable-gpu',
      ...(IS_ROOT ? ['--no-sandbox'] : []),
      `--log-net-log=${join(profile, LOG)}`,
      '--net-log-capture-mode=Everything',
      ...more,
      'about:blank',
    ],
    ['pipe', 'pipe', 'pipe'],
  );
  const [, , output, input, results] = child.stdio as unknown as [null, null, Readable, Writable, Readable];
  output.resume();
  const events = createEvents();
  const commands = createCommands(
    (message) => input.write(`${JSON.stringify(message)}\0`),
    ({ method = '' }) => events.happen(method),
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  void ended.then(() => commands.fail(new BrowserError('ended')));
  input.on('error', () => undefined);
  let rest = '';
  results.setEncoding('utf8').on('data', (text: string) => {
    const messages = (rest + text).split('\0');
    rest = messages.pop() ?? '';
    for (const message of messages) commands.receive(message);
  });
  const close = async () => void (await Promise.all([ended, commands.command('Browser.close').catch(() => undefined)]));
  return { commands, events, folder, close, discard };
}

function createEvents() {
  const waiting = new Map<string, () => void>();
  return {
    happen: (name: string) => waiting.get(name)?.(),
    next: (name: string) =>
      Promise.race([
        new Promise<void>((resolve) => waiting.set(name, resolve)),
        sleep(ANSWER_MS, undefined, { ref: false }).then(() => Promise.reject(new BrowserError('TIMEOUT'))),
      ]),
  };
}

/** One entry of the log. Names of types are numbers, which the first line explains. */
interface Entry {
  type: number;
  /** 1: begins, 2: ends. */
  phase: number;
  source: { id: number };
  params?: { url?: string; headers?: string[]; bytes?: string; net_error?: number };
}

interface Request {
  url: string;
  headers: [string, string][];
  status: number;
  pieces: Buffer[];
  /** The page was left before all had arrived. The log names no error then. */
  isCancelled?: boolean;
}

async function readLog(file: string): Promise<Received[]> {
  const received: Received[] = [];
  const requests = new Map<number, Request>();
  let names = new Map<number, string>();
  /** By address: what a page has begun to receive and another one has received whole, through the cache. */
  const begun = new Map<string, Request>();
  const finish = (request: Request | undefined, errorCode = 0) => {
    if (!request) return;
    const { url, pieces, isCancelled = false } = request;
    // What comes from the cache has no headers. It was compared when it came, or has the headers of a cancelled request.
    const { status, headers } = request.status === 0 ? (begun.get(url) ?? request) : request;
    // A redirect is complete with its headers. A service worker that stays out of it leaves it to another request.
    const isRedirect = status >= 300 && status < 400 && status !== 304;
    if ((isCancelled && !isRedirect) || errorCode !== 0) {
      const isLeft = isCancelled || errorCode === ABORTED_CODE;
      if (isLeft && status !== 0) begun.set(url, { ...request, status, headers });
      received.push({ url, error: isLeft ? ABORTED : String(errorCode) });
    } else if (status !== 0) {
      begun.delete(url);
      received.push({ url, response: { status, headers, body: Buffer.concat(pieces) } });
    }
  };
  for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    // One object with a list of entries, each on a line of its own.
    const text = line.replace(/\]?,$/u, '');
    const entry = parse(text) ?? parse(`${text}}`);
    if (!entry) continue;
    if ('constants' in entry) {
      const { logEventTypes } = (entry as unknown as { constants: { logEventTypes: Record<string, number> } })
        .constants;
      names = new Map(Object.entries(logEventTypes).map(([name, type]) => [type, name]));
      continue;
    }
    const { source, phase, params = {} } = entry;
    const request = requests.get(source.id);
    switch (names.get(entry.type) ?? '') {
      case 'URL_REQUEST_START_JOB':
        if (phase !== 1) break;
        // A redirect continues with another address.
        finish(request);
        requests.set(source.id, { url: params.url ?? '', headers: [], status: 0, pieces: [] });
        break;
      case 'HTTP_TRANSACTION_READ_EARLY_HINTS_RESPONSE_HEADERS':
        request?.headers.push(...pairsOf(params.headers));
        break;
      case 'HTTP_TRANSACTION_READ_RESPONSE_HEADERS':
        if (!request) break;
        request.status = Number(/^HTTP\/[\d.]+ (\d+)/u.exec(params.headers?.[0] ?? '')?.[1] ?? 0);
        request.headers.push(...pairsOf(params.headers));
        break;
      case 'URL_REQUEST_JOB_FILTERED_BYTES_READ':
        request?.pieces.push(Buffer.from(params.bytes ?? '', 'base64'));
        break;
      case 'CANCELLED':
        if (request) request.isCancelled = true;
        break;
      case 'REQUEST_ALIVE':
        if (phase !== 2) break;
        finish(request, params.net_error);
        requests.delete(source.id);
        break;
    }
  }
  return received;
}

function parse(text: string): Entry | undefined {
  try {
    return JSON.parse(text) as Entry;
  } catch {
    return undefined;
  }
}

function pairsOf(lines: readonly string[] = []): [string, string][] {
  return lines.flatMap((line): [string, string][] => {
    const [, name, value] = /^([^:]+):\s*(.*)$/su.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value]];
  });
}
