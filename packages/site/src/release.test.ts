import { expect, it } from 'vitest';
import { parseRelease, servedFiles } from './release.ts';

const HASH = 'ab'.repeat(32);
const FILES = [
  'assets/app.js',
  'assets/app.js.br',
  'assets/app.js.gz',
  'pages/api-docs.html',
  'pages/en/home.html',
  'pages/fallback.html',
  'save.worker.js',
];
const RELEASE = { version: '1.2.3', commit: null, files: Object.fromEntries(FILES.map((file) => [file, HASH])) };

it('is read from the text of build.json', () => {
  expect(parseRelease(JSON.stringify(RELEASE))).toEqual(RELEASE);
});

it.each(['', '{}', '[]', '{"version":"1","commit":null,"files":{"a":1}}', '{"version":"1","files":{}}'])(
  'is not %j',
  (text) => {
    expect(() => parseRelease(text)).toThrow(/JSON|Invalid input/u);
  },
);

it('has an address for every page in every language, and for every file that is not compressed', () => {
  const served = new Map(servedFiles(RELEASE, ['en', 'zh-TW']).map(({ path, ...rest }) => [path, rest]));
  expect(served.get('/en')).toEqual({ file: 'pages/en/home.html', isTemplate: true });
  expect(served.get('/zh-TW/faq')).toEqual({ file: 'pages/zh-TW/faq.html', isTemplate: true });
  expect(served.get('/api/docs')).toEqual({ file: 'pages/api-docs.html', isTemplate: true });
  expect(served.get('/save.worker.js')).toEqual({ file: 'save.worker.js', isTemplate: false });
  const plain = [...served].filter(([, { isTemplate }]) => !isTemplate).map(([path]) => path);
  expect(plain).toEqual(['/assets/app.js', '/save.worker.js']);
});
