// A key of twelve words in the command line client: printed by send, and read wherever a key is.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createRig } from '../../../../packages/transfer/testing/rigs.ts';
import { type FakeSite, startFakeSite } from '../../testing/fake-site.ts';
import { type Given, runClient } from '../../testing/run-client.ts';

const root = mkdtempSync(join(tmpdir(), 'furoshiki-words-'));
const file = join(root, 'note.txt');
let site: FakeSite;
let out: string;
beforeAll(async () => {
  site = await startFakeSite(createRig({}).server);
  writeFileSync(file, 'hello');
});
beforeEach(() => {
  out = mkdtempSync(join(root, 'out-'));
});
afterAll(async () => {
  await site.close();
  rmSync(root, { recursive: true });
});

async function sendWords(given: Given = {}) {
  const sent = await runClient(root, ['send', file, '--words', '--server', site.url], given);
  const [link = '', words = ''] = sent.stdout.trim().split('\n');
  return { ...sent, link, words };
}

const receive = (link: string, given: Given, ...options: string[]) =>
  runClient(root, ['receive', link, '-o', out, ...options], given);

it('prints the link and twelve words, and receives with their beginnings in capitals', async () => {
  const { exitCode, link, words } = await sendWords();
  expect(exitCode).toBe(0);
  expect(words).toMatch(/^[a-z]+(?: [a-z]+){11}$/u);
  const typed = words.split(' ').map((word, index) => `${index + 1}. ${word.slice(0, 4).toUpperCase()}`);
  const received = await receive(link, { input: typed.join('\n') });
  expect(received.exitCode).toBe(0);
  expect(readFileSync(join(out, 'note.txt'), 'utf8')).toBe('hello');
});

it.each([
  ['ja_JP.UTF-8', /^\p{Script=Hiragana}+(?:\u3000\p{Script=Hiragana}+){11}$/u],
  ['de_DE.UTF-8', /^[a-z]+(?: [a-z]+){11}$/u],
  ['zh_TW.UTF-8', /^\p{Script=Han}(?: \p{Script=Han}){11}$/u],
])('uses the words of %s', async (LANG, pattern) => {
  const { link, words } = await sendWords({ environment: { LANG } });
  expect(words).toMatch(pattern);
  const keyFile = join(out, 'key.txt');
  writeFileSync(keyFile, words);
  expect((await receive(link, {}, '--key-file', keyFile)).exitCode).toBe(0);
});

it('numbers the words for a terminal', async () => {
  const { stdout } = await sendWords({ typed: '', showsOutput: true });
  const lines = stdout.split('\n').filter((line) => /^ ?\d+\. /u.test(line));
  expect(lines).toHaveLength(4);
  expect(
    lines
      .join(' ')
      .match(/\d+(?=\. [a-z]+)/gu)
      ?.map(Number)
      .toSorted((a, b) => a - b),
  ).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
  expect(lines[0]).toMatch(/^ 1\. [a-z]+ + 5\. [a-z]+ + 9\. [a-z]+$/u);
});

it('prints both forms of the key as JSON, and both open the page', async () => {
  const sent = await runClient(root, ['send', file, '--words', '--json', '--server', site.url]);
  const { link, key, words } = JSON.parse(sent.stdout) as Record<string, string>;
  for (const given of [key, words]) {
    expect((await receive(link ?? '', {}, '--key', given ?? '', '--force')).exitCode).toBe(0);
  }
  const plain = await runClient(root, ['send', file, '--json', '--server', site.url]);
  expect(Object.keys(JSON.parse(plain.stdout) as object)).not.toContain('words');
});

it('asks again at the prompt, and says which word is wrong', async () => {
  const { link, words } = await sendWords();
  const [first = '', second = '', ...rest] = words.split(' ');
  const swapped = ['zzzz', second, ...rest].join(' ');
  const received = await receive(link, { typed: `${swapped}\r${words}` });
  expect(received.stderr).toContain('“zzzz” isn’t one of the words.');
  expect(received.exitCode).toBe(0);
  expect(first).not.toBe('zzzz');
});

it.each([
  [`${'abandon '.repeat(11)}zoo`, 'One of the words is wrong.'],
  ['abandon about', 'A key has 12 words. This one has 2 words.'],
  [`${'abandon '.repeat(11)}ab`, '“ab” can be several words, such as abandon, ability, able.'],
  [`${'abandon '.repeat(11)}about`, 'That’s not the key for these files.'],
])('refuses %j with exit code 3, and no download is used up', async (typed, message) => {
  const { link } = await sendWords();
  const refused = await receive(link, { input: typed });
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining(message)]);
});

it('does not make words for a link with key', async () => {
  const both = await runClient(root, ['send', file, '--words', '--link-with-key', '--server', site.url]);
  expect([both.exitCode, both.stderr]).toEqual([
    2,
    expect.stringContaining('Use --words or --link-with-key, not both.'),
  ]);
});
