// Records what the installed browsers send for the files of the site, and compares it with what `furoshiki verify` sends.
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import puppeteer from 'puppeteer-core';
import { type BrowserName, headersOf, type Kind } from '../../tools/verify/src/browser-requests.ts';
import { CHROMIUM_ARGS, findHeadlessChromium } from '../../scripts/ensure-programs.mjs';
import { BROWSERS, startFirefox } from '../support/other-browsers.ts';
import { expect, test } from '../support/test.ts';

/** Their values depend on the version, the settings or the visit, not on the kind of program. */
const OTHER_VALUES = /^(?:host|origin|user-agent|sec-ch-ua|accept-language|cookie|if-none-match|priority)$/iu;

/** Whether a request has these depends on what has arrived before it. */
const IN_SOME_VISITS = /^(?:If-None-Match|If-Modified-Since|Cookie)(?::|$)/u;

const line = (name: string, value: string) => (OTHER_VALUES.test(name) ? name : `${name}: ${value}`);

/** A proxy that writes down the headers of each request, in their order. */
async function startRecorder(targetPort: number) {
  const sent: { path: string; destination: string; lines: string[] }[] = [];
  const server = http
    .createServer((request: IncomingMessage, response) => {
      const { rawHeaders } = request;
      const pairs = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? '']] : []));
      const destination = String(request.headers['sec-fetch-dest']);
      sent.push({
        path: request.url ?? '',
        destination,
        lines: pairs.map(([name = '', value = '']) => line(name, value)),
      });
      const { method, url, headers } = request;
      const passing = http.request({ port: targetPort, host: '127.0.0.1', path: url, method, headers }, (received) =>
        received.pipe(response.writeHead(received.statusCode ?? 0, received.rawHeaders)),
      );
      passing.on('error', () => response.destroy());
      request.pipe(passing);
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, sent, server };
}

/** One address for each kind, and whether its request has a cookie. Only Chromium with a window loads manifests. */
const KINDS: readonly [kind: Kind, path: RegExp, destination: string, hasCookie: boolean][] = [
  ['document', /^\/en$/u, 'document', false],
  ['document', /^\/en\/faq$/u, 'document', true],
  ['script', /^\/theme\.js$/u, 'script', false],
  ['module', /^\/assets\/app-.*\.js$/u, 'script', false],
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
    args: [...CHROMIUM_ARGS, '--accept-lang=en-US,en'],
  });
  const page = await browser.newPage();
  return {
    open: (url) => page.goto(url),
    run: (work) => page.evaluate(work),
    end: () => browser.close(),
  };
}

for (const [name, start] of [
  ['chromium', startChromium],
  ['firefox', () => startFirefox(BROWSERS.Firefox.program ?? '')],
] as const satisfies [BrowserName, () => Promise<Visitor>][])
  test(`verify sends what ${name} sends`, async ({ server }) => {
    test.skip(name === 'firefox' && BROWSERS.Firefox.program === undefined, 'Firefox is not installed');
    const { url, sent, server: recorder } = await startRecorder(Number(new URL(server.url).port));
    const browser = await start();
    try {
      await browser.open(`${url}/en`);
      await browser.run(untilCached);
      await browser.open(`${url}/en/faq`);
      // A page that a service worker controls sends its headers in another order.
      const isDone = (path: string) => sent.filter((one) => one.path === path).length >= 2;
      await expect.poll(() => isDone('/offline/en.json') && isDone('/api/config')).toBe(true);
    } finally {
      await browser.end();
      recorder.closeAllConnections();
      recorder.close();
    }
    for (const [kind, path, destination, hasCookie] of KINDS) {
      const recorded = sent.filter((one) => path.test(one.path) && one.destination === destination);
      const headers = headersOf({ browser: name, kind, origin: url, ...(hasCookie && { cookie: 'x' }) });
      const own = ['Host', ...Object.entries(headers).map(([header, value]) => line(header, value))].filter(
        (one) => !IN_SOME_VISITS.test(one),
      );
      const others = recorded.map(({ lines }) => lines.filter((one) => !IN_SOME_VISITS.test(one)));
      expect(
        others.map((lines) => lines.join('\n')),
        `${kind} ${path.source}`,
      ).toContain(own.join('\n'));
    }
  });
