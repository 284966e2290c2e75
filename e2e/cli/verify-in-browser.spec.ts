// What `furoshiki verify` notices with its own requests, and what with those of a browser: the same dishonest server for each.
// docs/VERIFYING.md has these rows in its table.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { languages } from '@furoshiki/texts';
import type { Verification } from '../../tools/verify/src/comparison.ts';
import { createGetResponse } from '../../tools/verify/src/get-response.ts';
import { verifyInBrowser } from '../../tools/verify/src/verify-in-browser.ts';
import { LANES, verifySite } from '../../tools/verify/src/verify-site.ts';
import { freePort } from '../../apps/server/testing/process.ts';
import { findChromium } from '../../scripts/ensure-programs.mjs';
import { ROOT } from '../../scripts/paths.mjs';
import { CliUser } from '../support/cli.ts';
import {
  ALL,
  type Check,
  type DishonestChange,
  fileLike,
  GIVEN_PAGE,
  newVisitor,
  release,
  remember,
} from '../support/dishonest-changes.ts';
import { MORE_CONTENTS, REPRESENTATIVE_CONTENTS } from '../support/dishonest-contents.ts';
import { MORE_VISITS, REPRESENTATIVE_VISITS } from '../support/dishonest-visits.ts';
import { BROWSERS } from '../support/other-browsers.ts';
import { addToBody, TamperingProxy } from '../support/tampering-proxy.ts';
import { expect, test } from '../support/test.ts';

const REPRESENTATIVE = [...REPRESENTATIVE_VISITS, ...REPRESENTATIVE_CONTENTS];
const CHANGES = [...REPRESENTATIVE, ...MORE_VISITS, ...MORE_CONTENTS];
const english = { changes: REPRESENTATIVE, languages: ['en'] };
const whole = { changes: CHANGES, languages };

const HIDDEN = { requests: undefined, chromium: [], firefox: ['/bystander.js', '/save.worker.js'] };
const PROGRAMS = { chromium: findChromium(), firefox: BROWSERS.Firefox.program };

async function verifyWith(check: Check, siteUrl: string, checked: readonly string[]): Promise<Verification> {
  const options = {
    siteUrl,
    release,
    languages: checked,
    connect: [],
    pagePath: GIVEN_PAGE,
    randomId: () => randomBytes(16).toString('base64url'),
    signal: new AbortController().signal,
    onProgress: () => undefined,
  };
  const result =
    check === 'requests'
      ? await verifySite({ ...options, get: createGetResponse({ connections: LANES }) })
      : await verifyInBrowser({ ...options, program: PROGRAMS[check] ?? '' });
  if ('unreachable' in result) throw new Error(result.unreachable);
  return result;
}

/** Sends the first bytes, and the others when the visitor is twelve pages further: Chromium keeps the last pages, and ends older ones. */
function delay(proxy: TamperingProxy, path: string): void {
  proxy.changes.set(path, ({ status, headers, body }, response) => {
    proxy.changes.delete(path);
    response.writeHead(status, headers).write(body.subarray(0, 1000));
    let pages = 0;
    proxy.onRequest = (request) => {
      if (request.headers['sec-fetch-dest'] === 'document') pages += 1;
      if (pages > 12 && !response.writableEnded) response.end(body.subarray(1000));
    };
  });
}

/** A visit with a browser takes a minute. `npm test` has one for each browser, which also notices a false alarm. */
const tagOf = (check: Check) => (check === 'requests' ? [] : ['@only-long']);

/** Browsers need minutes for the whole table. */
const RUNS: { check: Check; changes: readonly DishonestChange[]; languages: readonly string[]; tag: string[] }[] = [
  { check: 'requests', ...whole, tag: [] },
  { check: 'chromium', ...english, tag: [] },
  { check: 'firefox', ...english, tag: [] },
  { check: 'chromium', ...whole, tag: ['@only-long'] },
  { check: 'firefox', ...whole, tag: ['@only-long'] },
];

for (const { check, changes, languages: checked, tag } of RUNS)
  test(`verify with ${check} notices what it can of ${changes.length} changes`, { tag }, async ({ server }) => {
    test.skip(check !== 'requests' && PROGRAMS[check] === undefined, `${check} is not installed`);
    const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
    try {
      const visitor = newVisitor();
      proxy.onRequest = (request) => remember(visitor, request);
      for (const { path, change, when } of changes)
        proxy.changes.set(path, (passing, response, request) => {
          if (when(request, visitor)) change(passing, response, request);
        });
      const { differences, unchecked } = await verifyWith(check, proxy.url, checked);
      // Firefox refuses a script of the wrong type before it arrives: then `verify` says that it could not be checked.
      const named = new Set([...differences, ...unchecked].map(({ path }) => path));
      const nameOf = ({ row, path }: DishonestChange) => `${row}: ${path}`;
      const expected = changes.filter(({ noticedBy }) => noticedBy.includes(check)).map(nameOf);
      expect(changes.filter(({ path }) => named.has(path)).map(nameOf)).toEqual(expected);
      const changed = new Set(changes.map(({ path }) => path));
      expect([...named].filter((path) => !changed.has(path))).toEqual([]);
    } finally {
      await proxy.discard();
    }
  });

for (const check of ALL)
  test(`verify with ${check} accepts a server that changes nothing`, { tag: tagOf(check) }, async ({ server }) => {
    test.skip(check !== 'requests' && PROGRAMS[check] === undefined, `${check} is not installed`);
    const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
    try {
      // Pages are left before all has arrived, as on a slow connection.
      if (check !== 'requests') delay(proxy, fileLike(/^assets\/en-.*\.json$/u));
      const { differences, unchecked, isPublished, browser } = await verifyWith(check, proxy.url, ['en']);
      expect([differences, unchecked, isPublished]).toEqual([[], [], true]);
      expect(browser?.hidden).toEqual(HIDDEN[check]);
    } finally {
      await proxy.discard();
    }
  });

test('docs/VERIFYING.md has every row, with these results', () => {
  const text = readFileSync(join(ROOT, 'docs', 'VERIFYING.md'), 'utf8');
  const lines = text.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const first = lines.findIndex(([, cell]) => cell === 'the server changes');
  const table = lines.slice(
    first + 2,
    lines.findIndex((cells, index) => index > first && cells.length === 1),
  );
  const documented = table.map(([, row = '', ...cells]) => [row, ...cells.slice(0, ALL.length)].join(' | '));
  const seen = CHANGES.map(({ row, noticedBy }) =>
    [row, ...ALL.map((check) => (noticedBy.includes(check) ? '✓' : '–'))].join(' | '),
  );
  expect(documented.toSorted()).toEqual([...new Set([...seen, `${MAIN_ROW} | ✓ | ✓ | ✓`])].toSorted());
});

/** Without it no page works, so it is changed alone. */
const MAIN_ROW = 'the main script, a style of the page';
const MAIN = [fileLike(/^assets\/index-.*\.js$/u), fileLike(/^assets\/app-.*\.css$/u)];
for (const check of ALL)
  test(`verify with ${check} notices another main script and another style`, { tag: tagOf(check) }, async ({
    server,
  }) => {
    test.skip(check !== 'requests' && PROGRAMS[check] === undefined, `${check} is not installed`);
    const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
    try {
      for (const path of MAIN) proxy.changes.set(path, addToBody(' '));
      const { differences } = await verifyWith(check, proxy.url, []);
      expect(differences.map(({ path, kind }) => [path, kind])).toEqual(
        MAIN.toSorted().map((path) => [path, 'changed']),
      );
    } finally {
      await proxy.discard();
    }
  });

test('verify --browser says that there is no such browser, or no such server', async ({ server }) => {
  test.skip(PROGRAMS.firefox === undefined, 'Firefox is not installed');
  const user = await CliUser.create(server.url);
  try {
    const missing = await user.run(['verify', server.url, '--browser', 'no-such-browser']);
    expect([missing.exitCode, missing.stderr]).toEqual([
      1,
      'furoshiki: Can’t use the browser “no-such-browser” (ENOENT).\n',
    ]);
    const down = await user.run([
      'verify',
      `http://127.0.0.1:${await freePort()}`,
      '--browser',
      PROGRAMS.firefox ?? '',
    ]);
    expect([down.exitCode, down.stderr]).toEqual([1, expect.stringContaining('Nothing was checked.')]);
  } finally {
    await user.discard();
  }
});

test('Ctrl-C ends the browser too', async ({ server }) => {
  test.skip(PROGRAMS.chromium === undefined, 'Chromium is not installed');
  const proxy = await TamperingProxy.start(Number(new URL(server.url).port));
  const user = await CliUser.create(server.url);
  const { promise: isClosed, resolve: close } = Promise.withResolvers<void>();
  try {
    const isWaiting = new Promise<void>((resolve) => {
      proxy.changes.set('/theme.js', (_passing, response, request) => {
        response.writeHead(200).write('x');
        request.socket.once('close', close);
        resolve();
      });
    });
    const running = user.start(['verify', proxy.url, '--browser', PROGRAMS.chromium ?? '']);
    await isWaiting;
    running.process.kill('SIGINT');
    const { exitCode, stderr } = await running.ended;
    expect([exitCode, stderr]).toEqual([130, 'furoshiki: Stopped before everything was checked.\n']);
    await isClosed;
  } finally {
    await proxy.discard();
    await user.discard();
  }
});
