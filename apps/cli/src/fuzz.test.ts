// What strangers make a client read: links, keys in pasted text, and the sealed details and lists of a page.
import { webcrypto } from 'node:crypto';
import { idSchema } from '@furoshiki/api';
import {
  FormatError,
  formatKey,
  importKey,
  type ListedFile,
  linkWithKey,
  openDetails,
  openList,
  openPage,
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
  ...[
    'https://',
    'http:',
    'javascript:',
    '//',
    '/',
    '\\',
    '..',
    '.',
    '@',
    ':',
    '?',
    '&',
    '#',
    '%23',
    '%252523',
    '%',
    '=',
    '[',
    ']',
  ],
  ...[
    'files.example.org',
    'user:pw',
    'localhost:3000',
    '127.1',
    '[::1]',
    'xn--a',
    '例え.jp',
    'download',
    'DOWNLOAD',
    'de',
    'zh-TW',
  ],
  ...[
    'key=',
    'key%3D',
    '#key=',
    '%23key%3D',
    'Key: ',
    '„',
    '”',
    ' ',
    '\n',
    '\t',
    '\0',
    '\u202e',
    '\ud800',
    '\u3000',
    ID,
    ID.slice(1),
  ],
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

it(`${TEXTS} texts are a link to one page of one server, or no link`, () => {
  const base = fc.constantFrom('', '/our', '/our/files', '/de', '/download');
  const almost = fc
    .tuple(
      fc.constantFrom('https://a.example', 'http://[::1]:8', 'https://u:p@a.example'),
      base,
      anyText,
      fc.constantFrom('', '/', '?a=b'),
      anyText,
    )
    .map(([origin, path, between, end, after]) => `${origin}${path}${between}/download/${ID}${end}${after}`);
  let links = 0;
  fc.assert(
    fc.property(fc.oneof(anyText, almost), (text) => {
      const thrown = thrownBy(() => parseLink(text));
      if (thrown !== undefined) return void expect(thrown).toMatchObject({ text: 'link.invalid', exitCode: 2 });
      links += 1;
      const { siteUrl, pageId, keyText } = parseLink(text);
      const { link } = splitKeyFromLink(text.trim());
      const site = new URL(siteUrl);
      expect(['http:', 'https:']).toContain(site.protocol);
      expect(site.origin).toBe(new URL(link).origin);
      expect([site.username, site.password, site.search, site.hash]).toEqual(['', '', '', '']);
      expect(idSchema.safeParse(pageId).success).toBe(true);
      // A base path that is called like a language cannot be told from the language.
      const last = siteUrl.split('/').at(-1)?.toLowerCase();
      if (!languages.some((code) => code.toLowerCase() === last))
        expect(parseLink(linkOf(siteUrl, pageId))).toEqual({ siteUrl, pageId, keyText: undefined });
      if (keyText !== undefined) expect(link.length).toBeLessThan(text.length);
      return undefined;
    }),
    { numRuns: TEXTS },
  );
  expect(links).toBeGreaterThan(TEXTS / 100);
});

it(`${TEXTS} texts are the address of a server, or of none, and a path of the site`, () => {
  let servers = 0;
  fc.assert(
    fc.property(anyText, fc.constantFrom('', 'https://a.example/', 'http://localhost/'), (text, start) => {
      const thrown = thrownBy(() => parseServer(start + text));
      if (thrown === undefined) {
        servers += 1;
        const siteUrl = parseServer(start + text);
        expect(parseServer(siteUrl)).toBe(siteUrl);
      } else expect(thrown).toBeInstanceOf(CliError);
      expect(parsePath(text, languages)).toHaveProperty('screen.name');
    }),
    { numRuns: TEXTS },
  );
  expect(servers).toBeGreaterThan(TEXTS / 100);
});

it(`${TEXTS} texts are a key of 32 bytes, or say what is wrong with them`, () => {
  // Keys with one character that is added, changed or removed.
  const almost = fc
    .tuple(keyBytes, fc.nat(44), fc.nat(1), fc.constantFrom('', ' ', 'A', '+', '-', '=', '%', '\n', 'é'))
    .map(([bytes, at, removed, added]) => {
      const key = formatKey(bytes);
      return key.slice(0, at) + added + key.slice(at + removed);
    });
  let keys = 0;
  fc.assert(
    fc.property(
      fc.oneof(
        anyText,
        almost,
        fc.tuple(anyText, almost, anyText).map((all) => all.join('')),
      ),
      (text) => {
        const thrown = thrownBy(() => parseKey(text));
        if (thrown === undefined) {
          keys += 1;
          return void expect(parseKey(text)).toHaveLength(32);
        }
        expect(thrown).toBeInstanceOf(FormatError);
        return void expect((thrown as FormatError).code).toMatch(/^KEY_(?:EMPTY|INVALID_LENGTH|INVALID_CHARACTERS)$/u);
      },
    ),
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

it(`${2 * SEALED} sealed details and lists are what they must be, or are refused`, async () => {
  const { gcm: key } = await importKey(subtle, random(32));
  const details = fc.tuple(
    fc.record({ name: fc.string({ minLength: 1 }), type: fc.string(), size: fc.nat() }),
    record('name', 'size', 'modifiedAt', 'fileSize', 'chunkSize'),
  );
  const list = fc.tuple(
    fc.record({ files: fc.array(fc.string(), { minLength: 1 }) }),
    record('files', 'title', 'message'),
  );
  const anything = fc.oneof(
    value,
    details.map(([right, wrong]) => ({ ...right, ...wrong })),
    details.map(([right]) => right),
    list.map(([right, wrong]) => ({ ...right, ...wrong })),
    list.map(([right]) => right),
  );
  const isInteger = (number: unknown) => number === undefined || Number.isSafeInteger(number);
  let opened = 0;
  await fc.assert(
    fc.asyncProperty(anything, fc.boolean(), fc.string({ unit: 'binary' }), async (content, isHidden, junk) => {
      const sealedDetails = await sealDetails(subtle, key, random(12), 'salt', content as never, isHidden);
      const sealedList = await sealList(subtle, key, random(12), 'salt', content as never);
      const asDetails = await openDetails(subtle, key, 'salt', sealedDetails).catch((thrown: unknown) => thrown);
      const asList = await openList(subtle, key, 'salt', sealedList).catch((thrown: unknown) => thrown);
      for (const wrong of [
        openDetails(subtle, key, 'salt', sealedList),
        openList(subtle, key, 'salt', sealedDetails),
        openDetails(subtle, key, 'other', sealedDetails),
        openDetails(subtle, key, 'salt', junk),
      ])
        await expect(wrong).rejects.toMatchObject({ code: 'DECRYPTION_FAILED' });
      if (asDetails instanceof Error) expect(asDetails).toMatchObject({ code: 'DECRYPTION_FAILED' });
      else {
        opened += 1;
        const { name, type, size, modifiedAt, fileSize, chunkSize } = asDetails as Record<string, unknown>;
        expect([typeof name, typeof type, [size, modifiedAt, fileSize, chunkSize].every(isInteger)]).toEqual([
          'string',
          'string',
          true,
        ]);
        expect([(name as string).length > 0, (name as string).length <= 1024, (size as number) > 0]).toEqual([
          true,
          true,
          true,
        ]);
      }
      if (asList instanceof Error) return void expect(asList).toMatchObject({ code: 'DECRYPTION_FAILED' });
      opened += 1;
      const { files, title = '', message = '' } = asList as Record<string, unknown>;
      expect((files as unknown[]).every((salt) => typeof salt === 'string')).toBe(true);
      return void expect([typeof title, typeof message]).toEqual(['string', 'string']);
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
    format: fc.constantFrom(1, 2),
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
      const refused = await openPage(subtle, key, { files: files as ListedFile[], list }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      // None of them was sealed with this key.
      expect(refused).toBeInstanceOf(FormatError);
    }),
    { numRuns: SEALED },
  );
});
