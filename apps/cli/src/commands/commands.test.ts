// What the commands say and do at a terminal, in scripts, and when something is wrong.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRig } from '../../../../packages/transfer/testing/rigs.ts';
import { type FakeSite, startFakeSite } from '../../testing/fake-site.ts';
import { type Given, runClient } from '../../testing/run-client.ts';

const root = mkdtempSync(join(tmpdir(), 'furoshiki-commands-'));
const at = (...names: string[]) => join(root, ...names);
const run = (args: string[], given?: Given) => runClient(at('home'), args, given);
const OTHER_KEY = Buffer.alloc(32, 7).toString('base64');
let site: FakeSite;
let count = 0;
beforeAll(async () => {
  site = await startFakeSite(createRig({}).server);
});
afterAll(async () => {
  await site.close();
  rmSync(root, { recursive: true });
});

/** Sends files with their names as contents. */
async function share(names: string[], ...options: string[]) {
  const folder = at(`out-${(count += 1)}`);
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), name);
  const paths = names.map((name) => join(folder, name));
  const { stdout, stderr } = await run(['send', ...paths, '--server', site.url, ...options]);
  const [link = '', key = ''] = stdout.split('\n');
  return { link, key, stderr, into: at(`in-${count}`) };
}

it('a folder is sent without what cannot be sent, and says so', async () => {
  mkdirSync(at('mixed/nothing'), { recursive: true });
  writeFileSync(at('mixed/a.txt'), 'a');
  for (let number = 1; number <= 12; number += 1) writeFileSync(at(`mixed/empty ${number}`), '');
  const { exitCode, stderr } = await run(['send', at('mixed'), '--server', site.url]);
  expect([exitCode, stderr.split('\n')[0]]).toEqual([0, `Left out: ${at('mixed/empty 1')} (empty file)`]);
  expect(stderr).toContain('\nLeft out as well: 3 more\n1 file (1\u00a0B)');
  const named = await run(['send', at('mixed/empty 1'), at('mixed/a.txt'), '--server', site.url]);
  expect([named.exitCode, named.stderr]).toEqual([1, expect.stringContaining('is empty')]);
});

it('the number of a file stays the same when others are used up', async () => {
  const { link, key, into } = await share(['a', 'b', 'c'], '-n', '1');
  const receive = (number: number) => run(['receive', link, '-o', into, '--file', `${number}`], { input: key });
  expect((await receive(1)).exitCode).toBe(0);
  const again = await receive(1);
  expect([again.exitCode, again.stderr]).toEqual([4, expect.stringContaining('File 1 is gone')]);
  const { stdout } = await run(['info', link, '--key', key, '-q']);
  expect(stdout).toMatch(/^2\. b .+\n3\. c /u);
  expect([(await receive(2)).exitCode, (await receive(3)).exitCode]).toEqual([0, 0]);
  expect(['a', 'b', 'c'].map((name) => readFileSync(join(into, name), 'utf8'))).toEqual(['a', 'b', 'c']);
});

describe('at a terminal', () => {
  it('the link is asked for, then the key, and both again if they are wrong', async () => {
    const { link, key, into } = await share(['a.txt'], '--title', 'Hello');
    const typed = ['nonsense', link, 'short', OTHER_KEY, key].join('\r');
    const { exitCode, stderr } = await run(['receive', '-o', into], { typed });
    expect(exitCode).toBe(0);
    expect(stderr.match(/Link: /gu)).toHaveLength(2);
    expect(stderr.match(/Key: /gu)).toHaveLength(3);
    expect(stderr).toContain('That’s not a download link.');
    expect(stderr).toContain('That’s not the key for these files.');
    expect(stderr).not.toContain(key);
    expect(readFileSync(join(into, 'a.txt'), 'utf8')).toBe('a.txt');
  });

  it('a key is asked for three times', async () => {
    const { link, into } = await share(['a.txt']);
    const { exitCode, stderr } = await run(['receive', link, '-o', into], {
      typed: [OTHER_KEY, OTHER_KEY, OTHER_KEY].join('\r'),
    });
    expect([exitCode, stderr.match(/Key: /gu)?.length]).toEqual([3, 3]);
  });

  it('a script that gives no link gets an error', async () => {
    const { exitCode, stderr } = await run(['receive']);
    expect([exitCode, stderr]).toEqual([
      2,
      'furoshiki: Missing argument for receive: <link>. See: furoshiki receive --help\n',
    ]);
  });
});

it('a link without its language, without its scheme’s slashes at the end, or with a language works', async () => {
  const { link, key } = await share(['a.txt']);
  for (const form of [link, `${link}/`, link.replace('/download/', '/ja/download/')]) {
    const { exitCode, stdout } = await run(['receive', form, '-o', '-'], { input: key });
    expect([exitCode, stdout]).toEqual([0, 'a.txt']);
  }
});

it('standard output gets the bytes of the file only, also with --json', async () => {
  const { link, key } = await share(['a.txt'], '--title', 'Hello', '--message', 'World');
  const { stdout, stderr } = await run(['receive', link, '-o', '-', '--json', '-q'], { input: key });
  expect(stdout).toBe('a.txt');
  expect(JSON.parse(stderr)).toMatchObject({ saved: [{ name: 'a.txt' }], title: 'Hello', message: 'World' });
});

it('a key beside the link is not repeated', async () => {
  const { exitCode, stdout, stderr } = await run(['receive', `${site.url}/download/x`, OTHER_KEY]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('receive takes only the link.')]);
  expect(stdout + stderr).not.toContain(OTHER_KEY);
});

it('--name is refused for a file that has a name', async () => {
  writeFileSync(at('named.txt'), 'x');
  const { exitCode, stderr } = await run(['send', at('named.txt'), '--name', 'other.txt', '--server', site.url]);
  expect([exitCode, stderr]).toEqual([2, 'furoshiki: --name is only for standard input (-).\n']);
});

it('a folder for the state that cannot be written is named', async () => {
  writeFileSync(at('file'), 'x');
  const environment = { XDG_STATE_HOME: at('file', 'state'), XDG_CONFIG_HOME: at('file', 'config') };
  for (const args of [
    ['server', site.url],
    ['send', at('file'), '--server', site.url],
  ]) {
    const { exitCode, stderr } = await run(args, { environment });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`Can’t write to the folder “${at('file')}`)]);
  }
});

describe('an address without a Furoshiki server', () => {
  it('a host that does not exist', async () => {
    const { exitCode, stderr } = await run(['server', 'https://host.invalid']);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^furoshiki: No Furoshiki server responds at https:\/\/host\.invalid\. The host name is unknown \(\w+\)\.\n$/u,
      ),
    ]);
  });

  it('another web server, and the wrong scheme', async () => {
    const other = createHttpServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const wrong = await run(['server', `http://127.0.0.1:${port}/files`]);
    expect(wrong.stderr).toMatch(/Something else responds there\. Is the path right\?\n$/u);
    const secure = await run(['server', `https://127.0.0.1:${port}`]);
    expect(secure.stderr).toMatch(
      /There’s no HTTPS at this address \(\w+\)\. Did you mean http, or another port\?\n$/u,
    );
    other.close();
  });

  it('a closed port', async () => {
    const peer = createServer().listen(0, '127.0.0.1');
    await once(peer, 'listening');
    const { port } = peer.address() as AddressInfo;
    peer.close();
    await once(peer, 'close');
    const closed = await run(['server', `http://127.0.0.1:${port}`]);
    expect(closed.stderr).toMatch(/The connection was refused \(ECONNREFUSED\)\.\n$/u);
    expect(closed.stderr).not.toContain('TLS');
  });

  it('a peer that resets the connection', async () => {
    const peer = createServer((socket) => socket.resetAndDestroy()).listen(0, '127.0.0.1');
    await once(peer, 'listening');
    const { exitCode, stderr } = await run(['server', `http://127.0.0.1:${(peer.address() as AddressInfo).port}`]);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/The connection broke \(\w+\)\.\n$/u)]);
    peer.close();
  });

  it('another machine without TLS gets a warning', async () => {
    const { stderr } = await run(['server', 'http://host.invalid']);
    expect(stderr).toMatch(/^http:\/\/host\.invalid isn’t protected by TLS/u);
  });
});
