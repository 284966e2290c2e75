import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { run } from '../run.ts';
import type { Streams } from '../terminal/terminal.ts';
import { VERSION } from '../args/command-table.ts';

async function refusalOf(...args: string[]): Promise<[number, string]> {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const exitCode = await run({
    args: ['verify', ...args],
    streams: streams as unknown as Streams,
    environment: { HOME: tmpdir() },
    onStop: () => {},
  });
  streams.stderr.end();
  return [exitCode, await text(streams.stderr)];
}

const clone = mkdtempSync(join(tmpdir(), 'furoshiki-clone-'));
afterAll(() => rmSync(clone, { recursive: true }));

/** Makes a folder look like a clone whose build runs this code and writes this list of files. */
function cloneOf(code: string, list: string): string {
  for (const folder of ['scripts', 'apps/web/dist']) mkdirSync(join(clone, folder), { recursive: true });
  writeFileSync(join(clone, 'scripts/build.mjs'), code);
  writeFileSync(join(clone, 'apps/web/dist/build.json'), list);
  return clone;
}

const SITE = 'https://files.example.org';

it.each([
  [['files.example.org'], 'That’s not a server address.'],
  [[SITE, '--connect', 'https://s3.example.org', '--connect', 's3.example.org'], '“s3.example.org” isn’t an origin'],
  [[SITE, '--connect', '*'], '“*” isn’t an origin'],
  [[SITE, '--connect', 'https://s3.example.org/bucket'], 'isn’t an origin for --connect'],
  [[SITE, '--release', '9.9.9'], `only knows the files of version ${VERSION}. Use version 9.9.9 of the client`],
  [[SITE, '--source', '/nowhere'], '“/nowhere” isn’t a clone of Furoshiki.'],
])('%j is refused with exit code 2', async (args, reason) => {
  const [exitCode, shown] = await refusalOf(...args);
  expect(exitCode).toBe(2);
  expect(shown).toContain(reason);
});

it('says that it runs code of a folder before it does', async () => {
  const folder = cloneOf('process.exit(1)', '');
  const [, shown] = await refusalOf(SITE, '--source', folder);
  expect(shown.startsWith(`Building the web app of “${folder}”. This runs code from that folder.\n`)).toBe(true);
});

it.each([
  ['process.exit(1)', '{"version":"9.9.9","commit":null,"files":{}}', 1, 'failed: '],
  ['console.log("vite\\u001b[2J"); throw new Error("no space")', '', 1, 'no space'],
  ['console.log("done")', '{}', 1, 'failed: done'],
  ['', '{"version":"9.9.9","commit":null,"files":{}}', 2, 'is version 9.9.9, but this client is version'],
])('a clone whose build is %j with %j is refused with exit code %i', async (code, list, expected, reason) => {
  const [exitCode, shown] = await refusalOf(SITE, '--source', cloneOf(code, list));
  expect([exitCode, shown]).toEqual([expected, expect.stringContaining(reason)]);
  expect(shown).not.toContain('\u001B');
});
