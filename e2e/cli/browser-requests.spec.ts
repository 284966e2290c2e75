// Records what the installed browsers send for the files of the site, and compares it with what `furoshiki verify` sends.
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import puppeteer from 'puppeteer-core';
import { type BrowserName, headersOf, type Kind } from '../../tools/verify/src/browser-requests.ts';
import { createGetResponse } from '../../tools/verify/src/get-response.ts';
import { type MadeCertificate, makeCertificate } from '../../apps/server/testing/certificate.ts';
import { CHROMIUM_ARGS, findHeadlessChromium } from '../../scripts/ensure-programs.mjs';
import { BROWSERS, startFirefox } from '../support/other-browsers.ts';
import { expect, test } from '../support/test.ts';

/** Their values depend on the version, the settings or the visit, not on the kind of program. */
const OTHER_VALUES =
  /^(?::authority|:path|host|origin|user-agent|sec-ch-ua|accept-language|cookie|if-none-match|priority)$/iu;

/** Whether a request has these depends on what has arrived before it. */
const IN_SOME_VISITS = /^(?:If-None-Match|If-Modified-Since|Cookie)(?::|$)/iu;

const line = (name: string, value: string) => (OTHER_VALUES.test(name) ? name : `${name}: ${value}`);

interface Sent {
  path: string;
  destination: string;
  httpVersion: string;
  lines: string[];
}

/** Headers that only HTTP/1.1 has. */
const ONLY_HTTP_1 = new Set(['connection', 'keep-alive', 'transfer-encoding']);
const parts = (headers: http.IncomingHttpHeaders) =>
  Object.entries(headers).filter(([name]) => !name.startsWith(':') && !ONLY_HTTP_1.has(name));

/** A proxy that writes down the headers of each request, in their order. With a certificate, it has HTTP/2. */
async function startRecorder(targetPort: number, certificate?: MadeCertificate) {
  const sent: Sent[] = [];
  const record = (request: IncomingMessage, response: http.ServerResponse) => {
    const { rawHeaders, httpVersion } = request;
    const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));
    const destination = String(request.headers['sec-fetch-dest']);
    const lines = pairs.map(([name = '', value = '']) => line(name, value));
    sent.push({ path: request.url ?? '', destination, httpVersion, lines });
    const { method, url: path } = request;
    const headers = Object.fromEntries(parts(request.headers));
    const passing = http.request({ port: targetPort, host: '127.0.0.1', path, method, headers }, (received) => {
      if (response.destroyed) received.resume();
      else received.pipe(response.writeHead(received.statusCode ?? 0, Object.fromEntries(parts(received.headers))));
    });
    passing.on('error', () => response.destroy());
    request.pipe(passing);
  };
  const server = certificate
    ? http2.createSecureServer({ cert: certificate.cert, key: certificate.key, allowHTTP1: true }, record as never)
    : http.createServer(record);
  const open = new Set<{ destroy(): void }>();
  server.on('connection', (socket: Socket) => open.add(socket.once('close', () => open.delete(socket))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `${certificate ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const end = () => {
    server.close();
    for (const socket of open) socket.destroy();
  };
  return { url, sent, end };
}

/** One address for each kind, and whether its request has a cookie. Only Chromium with a window loads manifests. */
const KINDS: readonly [kind: Kind, path: RegExp, destination: string, hasCookie: boolean][] = [
  ['document', /^\/en$/u, 'document', false],
  ['document', /^\/en\/faq$/u, 'document', true],
  ['script', /^\/theme\.js$/u, 'script', false],
  ['module', /^\/assets\/transfers-.*\.js$/u, 'script', false],
  ['style', /^\/assets\/app-.*\.css$/u, 'style', false],
  ['image', /^\/icon\.svg$/u, 'image', false],
  ['text', /^\/assets\/en-.*\.json$/u, 'empty', false],
  ['serviceworker', /^\/bystander\.js$/u, 'serviceworker', true],
  ['cached', /^\/offline\/en\.json$/u, 'empty', true],
  ['api', /^\/api\/config$/u, 'empty', true],
];

/** The pages are cached last of all that a visit loads. */
const untilCached = async () => {
  await navigator.serviceWorker.ready;
  while ((await (await caches.open('kept-pages /')).match('offline/en.json')) === undefined)
    await new Promise((resolve) => setTimeout(resolve, 50));
};

interface Visitor {
  open(url: string): Promise<unknown>;
  run(work: () => Promise<void>): Promise<void>;
  end(): Promise<void>;
}

async function startChromium(): Promise<Visitor> {
  const executablePath = findHeadlessChromium() ?? '';
  const browser = await puppeteer.launch({
    executablePath,
    headless: 'shell',
    // Service workers need more than permission for a page.
    args: [...CHROMIUM_ARGS, '--accept-lang=en-US,en', '--ignore-certificate-errors'],
  });
  const page = await browser.newPage();
  return {
    open: (url) => page.goto(url),
    run: (work) => page.evaluate(work),
    end: () => browser.close(),
  };
}

/** What `verify` sends for one of them, as it arrives. */
async function sentByVerify(
  recorder: Awaited<ReturnType<typeof startRecorder>>,
  request: Parameters<typeof headersOf>[0],
  ca: string,
): Promise<Sent | undefined> {
  const get = createGetResponse({ connections: 1, agent: { ca } });
  // The browser may still be sending.
  const path = `/sent-by-verify/${request.kind}`;
  const result = await get(recorder.url + path, headersOf(request), new AbortController().signal);
  expect(result).toMatchObject({ status: expect.any(Number) });
  return recorder.sent.findLast((one) => one.path === path);
}

for (const [name, start] of [
  ['chromium', startChromium],
  ['firefox', () => startFirefox(BROWSERS.Firefox.program ?? '', { isTrusting: true })],
] as const satisfies [BrowserName, () => Promise<Visitor>][])
  for (const version of ['1.1', '2.0'])
    test(`verify sends what ${name} sends over HTTP/${version}`, async ({ server }) => {
      test.skip(name === 'firefox' && BROWSERS.Firefox.program === undefined, 'Firefox is not installed');
      const certificate = await makeCertificate();
      const isHttp2 = version === '2.0';
      const recorder = await startRecorder(Number(new URL(server.url).port), isHttp2 ? certificate : undefined);
      const { url, sent } = recorder;
      const browser = await start();
      try {
        await browser.open(`${url}/en`);
        await browser.run(untilCached);
        await browser.open(`${url}/en/faq`);
        // A page that a service worker controls sends its headers in another order.
        const isDone = (path: string) => sent.filter((one) => one.path === path).length >= 2;
        await expect.poll(() => isDone('/offline/en.json') && isDone('/api/config')).toBe(true);
        const bySite = [...sent];
        expect(new Set(bySite.map(({ httpVersion }) => httpVersion))).toEqual(new Set([version]));
        for (const [kind, path, destination, hasCookie] of KINDS) {
          const recorded = bySite.filter((one) => path.test(one.path) && one.destination === destination);
          const request = { browser: name, kind, origin: url, ...(hasCookie && { cookie: 'x' }) };
          const own = await sentByVerify(recorder, request, certificate.cert.toString());
          const withoutSome = ({ lines }: Sent) => lines.filter((one) => !IN_SOME_VISITS.test(one)).join('\n');
          expect(own?.httpVersion).toBe(version);
          expect(recorded.map(withoutSome), `${kind} ${path.source}`).toContain(own && withoutSome(own));
        }
      } finally {
        await browser.end();
        recorder.end();
        await certificate.discard();
      }
    });
