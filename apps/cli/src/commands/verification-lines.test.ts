import { languages } from '@furoshiki/texts';
import type { Difference, Verification, What } from '@furoshiki/verify';
import { describe, expect, it } from 'vitest';
import { createTexts } from '../texts.ts';
import { verificationLines } from './verify.ts';

const RELEASE = { version: '1.2.3', commit: 'c0ffee', fingerprint: 'abc', files: {} };
const changed: What & { kind: 'changed' } = { kind: 'changed', expected: '1', received: '2', notes: [] };
const at = (path: string, what: What, file = path.slice(1)): Difference => ({ path, file, ...what });

async function linesOf(
  result: Partial<Verification>,
  language: (typeof languages)[number] = 'en',
  release: Parameters<typeof verificationLines>[1] = RELEASE,
) {
  const texts = createTexts(language);
  return verificationLines(texts, release, {
    fileCount: 214,
    addressCount: 226,
    isPublished: true,
    added: [],
    differences: [],
    unchecked: [],
    ...result,
  });
}

const withoutRelease = (lines: string[]) => lines.slice(0, -2);

it('says that nothing differs, and from what', async () => {
  expect(await linesOf({})).toEqual([
    'All 214 files match Furoshiki 1.2.3.',
    'This is the published client: by default, every server that runs version 1.2.3 sends the same files.',
    'Release commit: c0ffee',
    'Release fingerprint: abc',
  ]);
});

it('says if only the operator can have signed it, and names what was added on the way', async () => {
  expect(withoutRelease(await linesOf({ isPublished: false, added: ['cf-ray', 'x-cache'] }))).toEqual([
    'All 214 files match Furoshiki 1.2.3.',
    'This server’s pages or their Content-Security-Policy contain addresses of its own. If the pages are signed for the browser extension, it was the operator who signed them.',
    'Headers added on the way, which browsers don’t use: Cf-Ray, X-Cache',
  ]);
});

it('says which browser has received it, and what it does not show', async () => {
  const browser = { name: 'Firefox 153', hidden: ['/a.js', '/b.js'] };
  expect((await linesOf({ browser })).slice(2, 4)).toEqual([
    'This is what Firefox 153 received.',
    'Firefox 153 doesn’t show these files, so they weren’t compared: /a.js, /b.js',
  ]);
  expect((await linesOf({ browser: { name: 'Chrome 156', hidden: [] } })).slice(2, 4)).toEqual([
    'This is what Chrome 156 received.',
    'Release commit: c0ffee',
  ]);
});

it('has one line for each file that differs, with what is wrong in it', async () => {
  const notes = [{ note: 'loads', url: '/evil.js' }, { note: 'inlineScript' }, { note: 'base', url: '/x/' }] as const;
  const differences = [at('/a.js', { kind: 'missing' }), at('/en/faq', { ...changed, notes: [...notes] })];
  expect(withoutRelease(await linesOf({ differences }))).toEqual([
    '2 of 214 files don’t match Furoshiki 1.2.3:',
    '  /a.js: missing',
    '  /en/faq: changed',
    '    loads /evil.js, which isn’t part of the release',
    '    contains an inline script',
    '    has the base address /x/',
  ]);
});

it('has one line for several addresses of one file', async () => {
  const differences = ['/', '/faq', '/download'].map((path) => at(path, changed, 'pages/fallback.html'));
  expect(withoutRelease(await linesOf({ differences }))).toEqual([
    '1 of 214 files doesn’t match Furoshiki 1.2.3:',
    '  / and 2 more: changed',
  ]);
});

it('has one line for a header that is wrong on many files', async () => {
  const origin = { kind: 'origin', origin: 'https://s3.example.org' } as const;
  const differences = Array.from({ length: 226 }, (_, index) => at(`/${index}.js`, origin));
  expect(withoutRelease(await linesOf({ differences, fileCount: 226 }))).toEqual([
    '226 of 226 files are sent with wrong headers:',
    '  All addresses: pages may connect to https://s3.example.org. If that’s the operator’s object store or analytics service, check again with: --connect https://s3.example.org',
  ]);
});

it('keeps what could not be checked apart', async () => {
  const unchecked = ['/a.js', '/b.js'].map((path) => ({ path, file: path, reason: '503' }));
  expect(withoutRelease(await linesOf({ differences: [at('/c.js', changed)], unchecked }))).toEqual([
    '1 of 214 files doesn’t match Furoshiki 1.2.3:',
    '  /c.js: changed',
    '2 of 214 files couldn’t be checked:',
    '  /a.js and 1 more: 503',
  ]);
});

it('counts the rest if most files differ, and says that it may be another version', async () => {
  const differences = Array.from({ length: 200 }, (_, index) => at(`/${index}.js`, changed));
  const lines = await linesOf({ differences });
  expect(lines).toHaveLength(1 + 20 + 1 + 1 + 2);
  expect(lines).toContain('  And 180 more. Use --json to list them all.');
  expect(lines).toContain(
    'Most files differ. Is this the home page’s address? If the server runs another version, check it with that version’s client.',
  );
});

it('says nothing about a commit that is not known', async () => {
  const lines = await linesOf({}, 'en', { ...RELEASE, commit: null });
  expect(lines.join()).not.toContain('Commit');
});

describe.each(languages)('in %s', (language) => {
  const kinds: What[] = [
    changed,
    { kind: 'address', address: 'https://evil.example\u202e' },
    { kind: 'tooLarge' },
    { kind: 'missing' },
    { kind: 'status', status: 403, expected: 200 },
    { kind: 'redirect', target: 'https://evil.example/\u001B[2J' },
    { kind: 'type', type: 'text/html\u0007', expected: 'text/css' },
    { kind: 'policy', policies: [], detail: '' },
    { kind: 'policy', policies: ['1', '2'], detail: '' },
    { kind: 'policy', policies: ['1'], detail: '+script-src *\n' },
    { kind: 'origin', origin: 'https://evil.example' },
    { kind: 'header', name: 'link', value: '</evil.js>\r' },
  ];

  it('every kind has a text of its own, and nothing that a server sends can change the terminal', async () => {
    const differences = kinds.map((what, index) => at(`/${index}`, what));
    const lines = await linesOf({ differences }, language);
    const reasons = lines
      .filter((line) => line.startsWith('  /'))
      .map((line) => line.replace(/^ {2}\/\d+ ?[:：] ?/u, ''));
    expect(new Set(reasons).size).toBe(kinds.length);
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\u202e]|\{\{|verify\./u);
  });
});
