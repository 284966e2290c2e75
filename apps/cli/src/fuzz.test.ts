// What strangers make a client read: links, keys in pasted text, and the sealed details and lists of a page.
import { webcrypto } from 'node:crypto';
import { idSchema } from '@furoshiki/api';
import {
  type FileDetails,
  FormatError,
  formatKey,
  importKey,
  linkWithKey,
  openDetails,
  openList,
  openPage,
  type PageList,
  parseKey,
  sealDetails,
  sealList,
  splitKeyFromLink,
} from '@furoshiki/format';
import { parsePath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CliError } from './errors.ts';
import { linkOf, parseLink, parseServer } from './link.ts';
import { nodeCrypto } from './platform/node-crypto.ts';

/** `npm run test:long` sets LONG_TESTS: a million cases in all. */
const IS_LONG = process.env['LONG_TESTS'] !== undefined;
const TEXTS = IS_LONG ? 225_000 : 1500;
const SEALED = IS_LONG ? 50_000 : 250;
const { subtle } = nodeCrypto;

const ID = '8kCD_abc-defGHIjklMN01';
/** Pieces of links and messages, in any order, with anything between them. */
const pieces = fc.constantFrom(
  ...`https:// http: javascript: // / \\ .. . @ : ? & # %23 %252523 % = [ ] files.example.org user:pw localhost:3000 127.1 [::1] xn--a
  例え.jp download DOWNLOAD de zh-TW key= key%3D #key= %23key%3D Key: „ ” ${ID} ${ID.slice(1)}`.split(/\s+/u),
  ' ',
  '\n',
  '\t',
  '\0',
  '\u202e',
  '\ud800',
  '\u3000',
);
const anyText = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .array(fc.oneof({ weight: 5, arbitrary: pieces }, fc.string({ unit: 'binary', maxLength: 5 })), { maxLength: 14 })
      .map((all) => all.join('')),
  },
  fc.string({ unit: 'binary' }),
);
const keyBytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

function thrownBy(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}

/** Returns whether it is a link. */
function checkLink(text: string): boolean {
  const thrown = thrownBy(() => parseLink(text));
  expect(thrown === undefined || (thrown instanceof CliError && thrown.text === 'link.invalid')).toBe(true);
  if (thrown !== undefined) return false;
  const { siteUrl, pageId, keyText } = parseLink(text);
  const { link } = splitKeyFromLink(text.replaceAll(/[\t\n\r]/gu, '').trim());
  const site = new URL(siteUrl);
  expect(['http:', 'https:']).toContain(site.protocol);
  expect(site.origin).toBe(new URL(link).origin);
  expect([site.username, site.password, site.search, site.hash]).toEqual(['', '', '', '']);
  expect(idSchema.safeParse(pageId).success).toBe(true);
  expect(keyText === undefined || link.length < text.length).toBe(true);
  const again = parseLink(linkOf(siteUrl, pageId));
  // A base path with the name of a language is read as the language.
  const isAmbiguous = languages.some((code) => siteUrl.toLowerCase().endsWith(`/${code.toLowerCase()}`));
  expect(isAmbiguous || (again.siteUrl === siteUrl && again.pageId === pageId && again.keyText === undefined)).toBe(
    true,
  );
  return true;
}

it(`${TEXTS} texts are a link to one page of one server, or no link`, () => {
  const almost = fc
    .tuple(
      fc.constantFrom('https://a.example', 'http://[::1]:8', 'https://u:p@a.example'),
      fc.constantFrom('', '/our', '/our/files', '/de', '/download'),
      anyText,
      fc.constantFrom('', '/', '?a=b'),
      anyText,
    )
    .map(([origin, path, between, end, after]) => `${origin}${path}${between}/download/${ID}${end}${after}`);
  let links = 0;
  fc.assert(
    fc.property(fc.oneof(anyText, almost), (text) => {
      links += Number(checkLink(text));
    }),
    { numRuns: TEXTS },
  );
  expect(links).toBeGreaterThan(TEXTS / 100);
});

/** Returns whether it is a server. */
function checkServer(text: string): boolean {
  const thrown = thrownBy(() => parseServer(text));
  expect(thrown === undefined || (thrown instanceof CliError && thrown.text === 'server.invalid')).toBe(true);
  if (thrown !== undefined) return false;
  const siteUrl = parseServer(text);
  expect(parseServer(siteUrl)).toBe(siteUrl);
  return true;
}

it(`${TEXTS} texts are the address of a server, or of none, and a path of the site`, () => {
  let servers = 0;
  fc.assert(
    fc.property(anyText, fc.constantFrom('', 'https://a.example/', 'http://localhost/'), (text, start) => {
      servers += Number(checkServer(start + text));
      expect(parsePath(text, languages)).toHaveProperty('screen.name');
    }),
    { numRuns: TEXTS },
  );
  expect(servers).toBeGreaterThan(TEXTS / 100);
});

const KEY_ERRORS = new Set<string>(['KEY_EMPTY', 'KEY_INVALID_LENGTH', 'KEY_INVALID_CHARACTERS']);

/** Returns whether it is a key. */
function checkKey(text: string): boolean {
  const thrown = thrownBy(() => parseKey(text));
  expect(thrown === undefined || (thrown instanceof FormatError && KEY_ERRORS.has(thrown.code))).toBe(true);
  if (thrown !== undefined) return false;
  expect(parseKey(text)).toHaveLength(32);
  return true;
}

it(`${TEXTS} texts are a key of 32 bytes, or say what is wrong with them`, () => {
  // Keys with one character that is added, changed or removed.
  const almost = fc
    .tuple(keyBytes, fc.nat(44), fc.nat(1), fc.constantFrom('', ' ', 'A', '+', '-', '=', '%', '\n', 'é'))
    .map(([bytes, at, removed, added]) => {
      const key = formatKey(bytes);
      return key.slice(0, at) + added + key.slice(at + removed);
    });
  const within = fc.tuple(anyText, almost, anyText).map((all) => all.join(''));
  let keys = 0;
  fc.assert(
    fc.property(fc.oneof(anyText, almost, within), (text) => {
      keys += Number(checkKey(text));
    }),
    { numRuns: TEXTS },
  );
  expect(keys).toBeGreaterThan(TEXTS / 100);
});

it(`the key is found in ${TEXTS} messages that contain it`, () => {
  const link = `https://files.example.org/de/download/${ID}`;
  const written: ((key: string) => string)[] = [
    (key) => key,
    (key) => key.replace('=', ''),
    (key) => key.replaceAll('+', '-').replaceAll('/', '_'),
    encodeURIComponent,
    (key) => encodeURIComponent(encodeURIComponent(key)),
  ];
  const around: ((key: string) => string)[] = [
    (key) => `${link}\n${key}`,
    (key) => `Key: ${key}`,
    (key) => `“${key}”`,
    (key) => `  Hello! ${link} and the key is ${key} – bye, see https://example.org/${ID}`,
    (key) => linkWithKey(link, key),
    (key) => `${link}%23key%3D${encodeURIComponent(key)}&utm=1`,
  ];
  fc.assert(
    fc.property(keyBytes, fc.constantFrom(...written), fc.constantFrom(...around), (bytes, write, wrap) => {
      expect(formatKey(parseKey(wrap(write(formatKey(bytes)))))).toBe(formatKey(bytes));
    }),
    { numRuns: TEXTS },
  );
});

const random = (length: number) => webcrypto.getRandomValues(new Uint8Array(length));
/** Almost right values of a field, and wrong ones. */
const value = fc.oneof(
  fc.constantFrom<unknown>(null, '', 'a.txt', 0, 1, -5, 1.5, 2 ** 60, 1e308, [], {}, true, 'x'.repeat(1025), [
    'a',
    'a',
  ]),
  fc.jsonValue({ maxDepth: 2 }),
);
const record = (...names: string[]) =>
  fc.record(Object.fromEntries([...names, '__proto__x', 'toString'].map((name) => [name, value])), {
    requiredKeys: [],
  });

const isRefusal = (thrown: Error) => thrown instanceof FormatError && thrown.code === 'DECRYPTION_FAILED';
const isInteger = (number: unknown) => number === undefined || Number.isSafeInteger(number);

/** Returns whether they could be opened. */
function checkDetails(opened: unknown): boolean {
  expect(!(opened instanceof Error) || isRefusal(opened)).toBe(true);
  if (opened instanceof Error) return false;
  const { name, type, size, modifiedAt, fileSize, chunkSize } = opened as FileDetails;
  expect([typeof name, typeof type]).toEqual(['string', 'string']);
  expect([size, modifiedAt, fileSize, chunkSize].every(isInteger)).toBe(true);
  expect([name.length > 0, name.length <= 1024, size > 0]).toEqual([true, true, true]);
  return true;
}

/** Returns whether it could be opened. */
function checkList(opened: unknown): boolean {
  expect(!(opened instanceof Error) || isRefusal(opened)).toBe(true);
  if (opened instanceof Error) return false;
  const { files, title = '', message = '' } = opened as PageList;
  expect([...files, title, message].every((text) => typeof text === 'string')).toBe(true);
  return true;
}

it(`${2 * SEALED} sealed details and lists are what they must be, or are refused`, async () => {
  const { gcm: key } = await importKey(subtle, random(32));
  const details = fc.record({ name: fc.string({ minLength: 1 }), type: fc.string(), size: fc.nat() });
  const list = fc.record({ files: fc.array(fc.string(), { minLength: 1 }) });
  const wrong = record('name', 'size', 'modifiedAt', 'fileSize', 'chunkSize', 'files', 'title', 'message');
  const right = fc.oneof(details, list);
  const anything = fc.oneof(
    value,
    right,
    fc.tuple(right, wrong).map(([some, others]) => ({ ...some, ...others })),
  );
  const caught = (opening: Promise<unknown>) => opening.catch((thrown: unknown) => thrown);
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(anything, fc.boolean(), fc.string({ unit: 'binary' }), async (content, isHidden, junk) => {
      const sealedDetails = await sealDetails(subtle, key, random(12), 'salt', content as never, isHidden);
      const sealedList = await sealList(subtle, key, random(12), 'salt', content as never);
      opened += Number(checkDetails(await caught(openDetails(subtle, key, 'salt', sealedDetails))));
      opened += Number(checkList(await caught(openList(subtle, key, 'salt', sealedList))));
      for (const opening of [
        openDetails(subtle, key, 'salt', sealedList),
        openList(subtle, key, 'salt', sealedDetails),
        openDetails(subtle, key, 'other', sealedDetails),
        openDetails(subtle, key, 'salt', junk),
      ])
        await expect(opening).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' });
    }),
    { numRuns: SEALED },
  );
  expect(opened).toBeGreaterThan(SEALED / 20);
});

it(`${SEALED} pages of a dishonest server are opened as they were sent, or refused`, async () => {
  const key = await importKey(subtle, random(32));
  const text = fc.oneof(
    fc.constantFrom(undefined, '', 'AAAA', Buffer.alloc(16).toString('base64'), '\ud800', '='),
    fc.base64String(),
    fc.string({ unit: 'binary' }),
  );
  const number = fc.oneof(
    fc.constantFrom(0, 1, 25 * 1024 * 1024, 64 * 1024 * 1024 + 1, 2 ** 53, -1, 0.5, Number.NaN),
    fc.integer(),
  );
  const file = fc.record({
    id: fc.string(),
    format: fc.constantFrom(1 as const, 2 as const),
    isEncrypted: fc.constantFrom(true, true, true, false),
    fileName: fc.string(),
    fileSize: number,
    chunkSize: number,
    salt: text,
    pageSalt: text,
    keyCheck: text,
    details: text,
  });
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), text, async (files, list) => {
      const refused = await openPage(subtle, key, { files, list }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      // None of them was sealed with this key.
      expect(refused).toBeInstanceOf(FormatError);
    }),
    { numRuns: SEALED },
  );
});
