// What the commands say and do at a terminal, in scripts, and when something is wrong.
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRig } from '../../../../packages/transfer/testing/rigs.ts';
import { type FakeSite, startFakeSite } from '../../testing/fake-site.ts';
import { type Given, runClient } from '../../testing/run-client.ts';
import { createReceivedFiles } from '../platform/files/part-file.ts';
import type { FileToSave } from '@furoshiki/transfer';

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
  const { exitCode, stderr } = await run(['send', at('mixed'), '--separate', '--server', site.url]);
  expect([exitCode, stderr.split('\n')[0]]).toEqual([0, `Left out: ${at('mixed/empty 1')} (empty file)`]);
  expect(stderr).toContain('\nAlso left out: 3 more\n1 file (1\u00a0B)');
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

describe('what an interrupted run has kept', () => {
  /** As if a run for this page had been interrupted. */
  async function keepPart(link: string, folder: string, name: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    const { origin, pathname } = new URL(link);
    const page = `${origin} ${pathname.split('/').at(-1)}`;
    const checkpoints = at('home/state/furoshiki/downloads');
    const files = createReceivedFiles({ folder, force: false, checkpoints, page }, [name]);
    const file = { id: '', fileName: name, contentType: '', fileSize: 20, chunkSize: 10, resumable: { identity: 'x' } };
    const sink = await files.destinationOf(file as unknown as FileToSave, name).open(new AbortController().signal);
    await sink.write(new Uint8Array(10));
    await sink.suspend();
    expect(existsSync(join(folder, `${name}.part`))).toBe(true);
  }

  it('is removed if all files are gone', async () => {
    const { link, into } = await share(['a']);
    await keepPart(link, into, 'a');
    await run(['delete', link, '--yes']);
    const { exitCode, stderr } = await run(['receive', link, '-o', into]);
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('The incomplete file “a.part” was removed')]);
    expect(readdirSync(into)).toEqual([]);
  });

  it('is removed if its file is used up, and the others are received', async () => {
    const { link, key, into } = await share(['a', 'b'], '-n', '1');
    await run(['receive', link, '-o', at('elsewhere'), '--file', '2'], { input: key });
    await keepPart(link, into, 'b');
    const { exitCode, stderr } = await run(['receive', link, '-o', into], { input: key });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('The incomplete file “b.part” was removed')]);
    expect(readdirSync(into)).toEqual(['a']);
  });
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

describe('what was sent', () => {
  it('is set apart and labelled in a terminal, and two lines elsewhere', async () => {
    writeFileSync(at('one.txt'), 'one');
    const args = ['send', at('one.txt'), '--server', site.url];
    const shown = await run(args, { showsOutput: true });
    expect(shown.stdout).toMatch(/^\nLink:\nhttp\S+\n\nKey:\n\S{44}\n\n$/u);
    expect(shown.stderr).toMatch(/^Send the link and the key through two different channels\.\n1 file /u);
    const colored = await run(args, { showsOutput: true, environment: { NO_COLOR: '' } });
    expect(colored.stdout.replaceAll('\u001B', 'ESC')).toMatch(/ESC\[36mhttp\S+ESC\[39m\n/u);
    for (const option of ['--plain', '--quiet'])
      expect((await run([...args, option], { showsOutput: true })).stdout).toMatch(/^http\S+\n\S{44}\n$/u);
    expect((await run(args)).stdout).toMatch(/^http\S+\n\S{44}\n$/u);
  });

  it('has every fact in --json', async () => {
    for (const name of ['x', 'yy']) writeFileSync(at(name), name);
    const args = ['send', at('x'), at('yy'), '--server', site.url, '--json', '-n', '7', '-d', '2'];
    const sent = JSON.parse((await run(args)).stdout) as Record<string, string>;
    expect(sent).toEqual({
      link: `${site.url}/download/${sent['id']}`,
      id: expect.stringMatching(/^[\w-]+$/u) as string,
      key: expect.stringMatching(/^\S{44}$/u) as string,
      count: 2,
      size: 3,
      downloads: 7,
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as string,
    });
    const days = (Date.parse(sent['expiresAt'] ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(2, 1);
  });

  it('is listed without its key until it is deleted or forgotten, unless it is unlisted', async () => {
    const home = at('home-of-list');
    const list = async () => JSON.parse((await runClient(home, ['ls', '--json'])).stdout) as { link: string }[];
    const sendFrom = async (...options: string[]) => {
      const { stdout } = await runClient(home, ['send', at('x'), '--server', site.url, ...options]);
      const [link = '', key = ''] = stdout.split('\n');
      return { link, key };
    };
    writeFileSync(at('x'), 'x');
    expect(await list()).toEqual([]);
    expect((await runClient(home, ['ls'])).stderr).toBe(
      'The list is empty. It shows what was sent from this machine and hasn’t expired yet.\n',
    );
    const first = await sendFrom();
    const second = await sendFrom();
    await sendFrom('--unlisted');
    const listed = await list();
    expect(listed.map(({ link }) => link).toSorted()).toEqual([first.link, second.link].toSorted());
    expect(listed[0]).toMatchObject({ name: 'x', count: 1, size: 1 });
    const { stdout } = await runClient(home, ['ls']);
    expect(stdout).toMatch(/^http\S+\n {2}x, 1 file, 1\u00a0B, until .+\nhttp\S+\n/u);
    const folder = join(home, 'state', 'furoshiki', 'sent');
    const stored = readdirSync(folder).map((name) => join(folder, name));
    const texts = [stdout, JSON.stringify(listed), ...stored.map((path) => readFileSync(path, 'utf8'))];
    expect(texts.join()).toContain(first.link.split('/').at(-1));
    for (const { key } of [first, second]) expect(texts.join()).not.toContain(key);
    for (const path of stored) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    await runClient(home, ['delete', first.link, '--yes']);
    expect((await list()).map(({ link }) => link)).toEqual([second.link]);
    await runClient(home, ['ls', '--forget']);
    expect(await list()).toEqual([]);
    expect((await runClient(home, ['info', second.link])).exitCode).toBe(0);
  });

  it('has the message of a file, or of standard input', async () => {
    const into = at('with-message');
    writeFileSync(at('message.txt'), 'Hello\nWorld\n');
    writeFileSync(at('x'), 'x');
    const message = async (args: string[], input = '') => {
      const { stdout } = await run(['send', at('x'), '--server', site.url, ...args], { input });
      const [link = '', key = ''] = stdout.split('\n');
      const received = await run(['receive', link, '-o', into, '-f', '--json', '-q'], { input: key });
      return (JSON.parse(received.stdout) as { message: string }).message;
    };
    expect(await message(['--message-file', at('message.txt')])).toBe('Hello\nWorld');
    expect(await message(['--message-file', '-'], 'From a pipe\n')).toBe('From a pipe');
    for (const [args, code, text] of [
      [['--message-file', at('nothing.txt')], 1, 'doesn’t exist'],
      [['--message-file', at('message.txt'), '-m', 'x'], 2, 'Use --message or --message-file, not both.'],
    ] as const) {
      const { exitCode, stderr } = await run(['send', at('x'), '--server', site.url, ...args]);
      expect([exitCode, stderr]).toEqual([code, expect.stringContaining(text)]);
    }
  });
});

describe('what was received', () => {
  it('is named in one line that says where it is', async () => {
    const one = await share(['a.txt']);
    const single = await run(['receive', one.link, '-o', one.into], { input: one.key });
    expect(single.stderr).toBe(`Saved: ${join(one.into, 'a.txt')}\n`);
    const two = await share(['a.txt', 'b.txt']);
    const several = await run(['receive', two.link, '-o', two.into, '--json'], { input: two.key });
    expect(several.stderr).toBe(`Saved 2 files (10\u00a0B) in ${two.into}\n`);
    expect(JSON.parse(several.stdout)).toMatchObject({
      folder: two.into,
      saved: [{ path: 'a.txt' }, { path: 'b.txt' }],
    });
  });

  it('is no hidden file, and has no name that is an option', async () => {
    const { link, key, into } = await share(['.profile', '-rf']);
    await run(['receive', link, '-o', into], { input: key });
    expect(readdirSync(into).toSorted()).toEqual(['_profile', '_rf']);
  });

  it('can be run if it could be run where it was sent, and has no other mode of the sender', async () => {
    mkdirSync(at('modes'));
    const modes = { a: 0o644, b: 0o755, c: 0o4777, d: 0o060 | 0o600 };
    for (const [name, mode] of Object.entries(modes)) {
      writeFileSync(at('modes', name), name);
      chmodSync(at('modes', name), mode);
    }
    const { stdout } = await run(['send', at('modes'), '--server', site.url]);
    const [link = '', key = ''] = stdout.split('\n');
    await run(['receive', link, '-o', at('modes-in')], { input: key });
    const received = Object.keys(modes).map((name) => statSync(at('modes-in/modes', name)).mode & 0o7777);
    expect(received).toEqual([0o600, 0o700, 0o700, 0o600]);
  });

  it('gets another name with --as, also if others are beside it', async () => {
    const { link, key, into } = await share(['a.txt', 'b.txt']);
    const receive = (...args: string[]) => run(['receive', link, '-o', into, ...args], { input: key });
    expect((await receive('--file', '2', '--as', '.other')).stderr).toBe(`Saved: ${join(into, '.other')}\n`);
    expect(readFileSync(join(into, '.other'), 'utf8')).toBe('b.txt');
    const wrong = [
      ['--as', 'c'],
      ['--file', '1', '--as', '../c'],
      ['--file', '1', '--as', '..'],
    ];
    for (const args of wrong) expect([args, (await receive(...args)).exitCode]).toEqual([args, 2]);
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

it('a terminal gets the bytes of a file only if they cannot control it, or with --force', async () => {
  const show = async (text: string, ...options: string[]) => {
    writeFileSync(at('shown.txt'), text);
    const sent = await run(['send', at('shown.txt'), '--server', site.url]);
    const [link = '', key = ''] = sent.stdout.split('\n');
    return run(['receive', link, '-o', '-', ...options], { input: key, showsOutput: true });
  };
  const shown = await show('plain\n');
  expect([shown.exitCode, shown.stdout]).toEqual([0, 'plain\n']);
  const evil = 'a\u001B]0;evil\u0007b';
  const refused = await show(evil);
  expect([refused.exitCode, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('This file isn’t plain text');
  const forced = await show(evil, '--force');
  expect([forced.exitCode, forced.stdout]).toEqual([0, evil]);
});

it('a key in the arguments works, and a note says who can see it', async () => {
  const { link, key, into } = await share(['a.txt']);
  const { exitCode, stderr } = await run(['receive', `${link}#key=${encodeURIComponent(key)}`, '-o', into]);
  expect([exitCode, stderr]).toEqual([0, expect.stringContaining('can see the key')]);
  expect(stderr).not.toContain(key);
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
  // Nothing can be made there, by no user.
  const nowhere = await run(['send', at('file'), '--server', site.url], { environment: { XDG_STATE_HOME: '/proc/x' } });
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([
    1,
    expect.stringContaining('Can’t write to the folder “/proc/x'),
  ]);
});

it('a stored server can be forgotten', async () => {
  const home = at('home-of-server');
  await runClient(home, ['server', site.url]);
  expect((await runClient(home, ['server'])).stdout).toBe(`${site.url}\n`);
  await runClient(home, ['server', '--forget']);
  expect((await runClient(home, ['server'])).exitCode).toBe(2);
});

it('--timeout ends a command that a server keeps waiting, and says so', async () => {
  const peer = createServer().listen(0, '127.0.0.1');
  await once(peer, 'listening');
  const { port } = peer.address() as AddressInfo;
  const { exitCode, stderr } = await run(['server', `http://127.0.0.1:${port}`, '--timeout', '1']);
  expect([exitCode, stderr]).toEqual([1, 'furoshiki: No progress for 1\u00a0s (--timeout).\n']);
  expect((await run(['server', site.url, '--timeout', '0'])).exitCode).toBe(2);
  expect((await run(['server', site.url, '--timeout', '1'])).exitCode).toBe(0);
  peer.close();
});

describe('a proxy of the environment', () => {
  /** Everything that goes through it goes to the fake site. */
  const requested: string[] = [];
  let holdsBytes = false;
  const proxy = createHttpServer((request, response) => {
    if (holdsBytes && request.method === 'PUT') return;
    requested.push(`${request.method} ${request.url}`);
    const { pathname, search } = new URL(request.url ?? '');
    const { port } = new URL(site.url);
    const { method, headers } = request;
    const forwarded = httpRequest({ port, host: '127.0.0.1', path: pathname + search, method, headers });
    forwarded.on('response', (received) => {
      response.writeHead(received.statusCode ?? 0, received.headers);
      received.pipe(response);
    });
    request.pipe(forwarded);
  });
  // No machine has this name: only the proxy can reach it.
  const unreachable = 'http://files.invalid';
  let address = '';
  beforeAll(async () => {
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(() => void proxy.close());

  it.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'])('%s is used for calls and for bytes', async (name) => {
    writeFileSync(at('x'), 'by proxy');
    requested.length = 0;
    const environment = { [name]: address };
    const sent = await run(['send', at('x'), '--server', unreachable], { environment });
    const [link = '', key = ''] = sent.stdout.split('\n');
    const { stdout } = await run(['receive', link, '-o', '-'], { input: key, environment });
    expect(stdout).toBe('by proxy');
    expect(requested.some((line) => line.startsWith(`GET ${unreachable}/api/`))).toBe(true);
    expect(requested.some((line) => line.startsWith(`PUT ${site.url}/`))).toBe(true);
  });

  it('is not used for a host of NO_PROXY', async () => {
    requested.length = 0;
    const environment = { HTTP_PROXY: address, NO_PROXY: '127.0.0.1' };
    expect((await run(['server', site.url], { environment })).exitCode).toBe(0);
    expect(requested).toEqual([]);
  });

  it('that no longer passes on anything ends a transfer with --timeout, which can be continued', async () => {
    writeFileSync(at('x'), 'held');
    const args = ['send', at('x'), '--server', unreachable, '--timeout', '1'];
    holdsBytes = true;
    const held = await run(args, { environment: { HTTP_PROXY: address } });
    holdsBytes = false;
    expect([held.exitCode, held.stderr]).toEqual([
      1,
      expect.stringMatching(/: No progress for 1\u00a0s \(--timeout\)\.\n.+Run the same command within 24\u00a0hours/u),
    ]);
    const again = await run(args, { environment: { HTTP_PROXY: address } });
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringMatching(/^Resuming an interrupted upload\./mu)]);
  });

  it('that is of another kind, or does not respond, is named', async () => {
    const socks = await run(['server', site.url], { environment: { ALL_PROXY: 'socks5://127.0.0.1:1' } });
    expect([socks.exitCode, socks.stderr]).toEqual([2, expect.stringContaining('only HTTP and HTTPS proxies')]);
    const dead = await run(['server', unreachable], { environment: { HTTP_PROXY: 'http://127.0.0.1:1' } });
    expect([dead.exitCode, dead.stderr]).toEqual([
      1,
      expect.stringMatching(/refused.+A proxy is set in the environment\. Is it the right one\?\n$/u),
    ]);
  });
});

it('a file for --cacert that has no certificates is refused', async () => {
  writeFileSync(at('no.pem'), 'nothing');
  for (const name of ['no.pem', 'missing.pem']) {
    const { exitCode, stderr } = await run(['server', site.url, '--cacert', at(name)]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('has no certificates that can be read')]);
  }
});

describe('an address without a Furoshiki server', () => {
  it('a host that does not exist', async () => {
    const { exitCode, stderr } = await run(['server', 'https://host.invalid']);
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(
        /^furoshiki: Can’t reach a Furoshiki server at https:\/\/host\.invalid\. The host name is unknown \(\w+\)\.\n$/u,
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
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/The connection was lost \(\w+\)\.\n$/u)]);
    peer.close();
  });

  it('another machine without TLS gets a warning', async () => {
    const { stderr } = await run(['server', 'http://host.invalid']);
    expect(stderr).toMatch(/^http:\/\/host\.invalid isn’t protected by TLS/u);
  });
});
