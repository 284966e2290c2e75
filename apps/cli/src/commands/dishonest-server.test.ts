// Every change of a dishonest server, against the command line client and the independent client of docs/FORMAT.md.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { importKey } from '@furoshiki/format';
import { messages } from '@furoshiki/texts/messages';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CHANGES, type Change } from '../../../../packages/format/testing/dishonest-server.ts';
import { change, SENT, sendTwice } from '../../../../packages/transfer/testing/dishonest-server.ts';
import { forgetFileCount } from '../../../../packages/transfer/testing/older-client.ts';
import { type FakeSite, startFakeSite } from '../../testing/fake-site.ts';
import { type Given, runClient } from '../../testing/run-client.ts';

const INDEPENDENT_CLIENT = fileURLToPath(new URL('../../../../e2e/independent-client/open-page.mjs', import.meta.url));
const keyBytes = Uint8Array.from(randomBytes(32));
const keyText = Buffer.from(keyBytes).toString('base64');
const key = await importKey(crypto.subtle, keyBytes);

const root = mkdtempSync(join(tmpdir(), 'furoshiki-dishonest-'));
const keyFile = join(root, 'key.txt');
writeFileSync(keyFile, keyText);
let site: FakeSite | undefined;
afterEach(() => site?.close());
afterAll(() => rmSync(root, { recursive: true }));

async function serve(row?: Change) {
  const sent = await sendTwice(key);
  if (row) change(sent, row);
  site = await startFakeSite(sent.server);
  const folder = mkdtempSync(join(root, 'in-'));
  return {
    link: `${site.url}/en/download/${sent.pageId}`,
    folder,
    saved: (name: string) => existsSync(join(folder, name)),
    grants: () => sent.server.counts.get('takeGrant') ?? 0,
  };
}

const furoshiki = async (args: string[], given?: Given) => {
  const { exitCode, stdout, stderr } = await runClient(root, args, given);
  return { exitCode, stdout, stderr };
};

async function independentClient(...args: string[]) {
  const child = spawn(process.execPath, [INDEPENDENT_CLIENT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close'), text(child.stdout)]);
  return { exitCode: exitCode as number, stderr };
}

const withOutcome = (kind: string) => CHANGES.filter(({ outcome }) => kind in outcome);
const FIRST = 'file 1.bin';

it('a page that was not changed arrives, with both clients', async () => {
  const { link, folder } = await serve();
  const received = await furoshiki(['receive', link, '--key-file', keyFile, '-o', folder, '--json']);
  expect([received.exitCode, JSON.parse(received.stdout)]).toMatchObject([0, { missing: 0, saved: [{}, {}, {}] }]);
  const opened = await independentClient(link, keyText, join(folder, 'independent'));
  expect(opened).toEqual({ exitCode: 0, stderr: 'title: "For you"\n' });
  for (const path of [FIRST, `independent/${FIRST}`])
    expect(Uint8Array.from(readFileSync(join(folder, path)))).toEqual(SENT[0]);
});

describe('the command line client', () => {
  it.each(withOutcome('before'))('refuses $what, before a download is counted: $outcome', async (row) => {
    const { link, folder, grants } = await serve(row);
    const words = messages.en.tampering['before' in row.outcome ? row.outcome.before : 'title'];
    const refusal = `furoshiki: ${words} What the server shows isn’t what was sent. Nothing was downloaded.\n`;
    const withKey = `${link}#key=${encodeURIComponent(keyText)}`;
    for (const args of [
      ['receive', link, '--key-file', keyFile, '-o', folder, '--yes'],
      ['receive', withKey, '-o', '-', '--file', '1', '--quiet'],
      ['info', withKey, '--json', '--quiet'],
    ])
      expect(await furoshiki(args)).toEqual({ exitCode: 5, stdout: '', stderr: refusal });
    expect(grants()).toBe(0);
  });

  it.each(withOutcome('during'))('saves nothing of a file with $what', async (row) => {
    const { link, folder, saved } = await serve(row);
    const { exitCode, stderr } = await furoshiki(['receive', link, '--key-file', keyFile, '-o', folder]);
    expect([exitCode, saved(FIRST)]).toEqual([1, false]);
    expect(stderr).toContain(`${FIRST}: ${messages.en.downloadErrors.decryptionFailed}`);
  });

  it.each(withOutcome('missing'))('says how many files are missing if there is $what: $outcome', async (row) => {
    const { link, folder } = await serve(row);
    const { exitCode, stdout, stderr } = await furoshiki([
      'receive',
      link,
      '--key-file',
      keyFile,
      '-o',
      folder,
      '--json',
    ]);
    const missing = 'missing' in row.outcome ? row.outcome.missing : 0;
    expect([exitCode, JSON.parse(stdout).missing]).toEqual([0, missing]);
    expect(stderr).toContain(
      row.what.startsWith('no list')
        ? `The sender’s list is missing from this page. Files here: ${3 - missing} of 3.`
        : `Files that were sent but are gone: ${missing}`,
    );
  });

  it('says that it is unknown whether files are missing if nothing on the page has their number', async () => {
    const { server, pageId } = await sendTwice(key);
    await forgetFileCount(server, pageId, key);
    site = await startFakeSite(server);
    const { stdout, stderr } = await furoshiki(['info', `${site.url}/en/download/${pageId}`, '--key-file', keyFile]);
    expect(stdout).toContain(FIRST);
    expect(stderr).toContain(messages.en.download.noList);
  });
});

describe('files that the server calls unencrypted', () => {
  const row = CHANGES.find(({ what }) => what === 'nothing encrypted');
  const REFUSED = /^furoshiki: The server says these files aren’t encrypted\. Files that have a key/u;

  it.each<[string, string[], Given]>([
    ['in a file', ['--key-file', keyFile], {}],
    ['in a file, at a terminal', ['--key-file', keyFile], { typed: 'y' }],
    ['as an option', ['--key', keyText, '-q'], {}],
    ['on standard input', [], { input: keyText }],
    ['on standard input, with --yes', ['--yes'], { input: keyText }],
    ['of another page', ['--key', randomBytes(32).toString('base64'), '-q'], {}],
  ])('are refused with a key %s', async (_, args, given) => {
    const { link, folder, grants } = await serve(row);
    const { exitCode, stderr } = await furoshiki(['receive', link, '-o', folder, ...args], given);
    expect([exitCode, grants()]).toEqual([5, 0]);
    expect(stderr).toMatch(REFUSED);
  });

  it('are not received without a key in a script, unless it says --yes', async () => {
    const { link, folder, grants, saved } = await serve(row);
    const refused = await furoshiki(['receive', link, '-o', folder]);
    expect([refused.exitCode, grants()]).toEqual([2, 0]);
    expect(refused.stderr).toContain('If you weren’t, you can download them with --yes.');
    const { exitCode } = await furoshiki(['receive', link, '-o', folder, '--yes']);
    expect([exitCode, saved(FIRST)]).toEqual([0, true]);
  });

  it.each([
    ['', 130, false],
    ['n', 130, false],
    ['y', 0, true],
  ])('are received at a terminal only after a yes: “%s”', async (typed, expected, isSaved) => {
    const { link, folder, saved } = await serve(row);
    const { exitCode, stderr } = await furoshiki(['receive', link, '-o', folder], { typed });
    expect(stderr).toContain('Download them anyway? [y/N]');
    expect([exitCode, saved(FIRST)]).toEqual([expected, isSaved]);
  });
});

describe('the independent client', () => {
  it.each(withOutcome('before'))('refuses $what, before a download is counted', async (row) => {
    const { link, folder, grants } = await serve(row);
    const { exitCode, stderr } = await independentClient(link, keyText, folder);
    expect(stderr).toMatch(
      'before' in row.outcome && row.outcome.before === 'notEncrypted' ? /^NOT_ENC/u : /^TAMPERED/u,
    );
    expect([exitCode, grants()]).toEqual([1, 0]);
  });

  it.each(withOutcome('during'))('saves nothing of a file with $what', async (row) => {
    const { link, folder, saved } = await serve(row);
    const { exitCode, stderr } = await independentClient(link, keyText, folder);
    expect([exitCode, stderr.split(' ')[0], saved(FIRST)]).toEqual([1, 'CORRUPT', false]);
  });

  it.each(withOutcome('missing'))('says how many files are missing if there is $what', async (row) => {
    const { link, folder } = await serve(row);
    const { exitCode, stderr } = await independentClient(link, keyText, folder);
    const missing = 'missing' in row.outcome ? row.outcome.missing : 0;
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining(`${3 - missing} of 3 files are left`)]);
  });
});
