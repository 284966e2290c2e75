import { expect, it } from 'vitest';
import { notesOn } from './compare.ts';

const files = { 'assets/app.js': '', 'assets/app.css': '', 'theme.js': '' };
const SITE = {
  siteUrl: 'https://example.org/files',
  basePath: '/files',
  release: { version: '1.2.3', commit: null, files },
};

it.each([
  [
    'the scripts and styles of the release',
    '<script src="./theme.js"></script><link rel="stylesheet" href="/files/assets/app.css">',
    [],
  ],
  ['data', '<script type="application/ld+json">{}</script><link rel="canonical" href="https://evil.example">', []],
  ['the right base', '<base href="/files/" />', []],
  ['another script', '<script src="/evil.js"></script>', [{ note: 'loads', url: '/evil.js' }]],
  [
    'a script outside of the base path',
    '<SCRIPT defer SRC=/assets/app.js>',
    [{ note: 'loads', url: '/assets/app.js' }],
  ],
  [
    'a script of another site',
    "<script\nsrc='https://evil.example/assets/app.js'>",
    [{ note: 'loads', url: 'https://evil.example/assets/app.js' }],
  ],
  ['a script with a query', '<script src="theme.js?x">', []],
  ['another style', '<link href="x.css" rel="preload stylesheet">', [{ note: 'loads', url: '/files/x.css' }]],
  [
    'another module',
    '<link rel=modulepreload href=//evil.example/x.js>',
    [{ note: 'loads', url: '//evil.example/x.js' }],
  ],
  ['a script without a source', '<script>alert(1)</script>', [{ note: 'inlineScript' }]],
  ['a module without a source', '<script type="module">', [{ note: 'inlineScript' }]],
  ['an import map', '<script type="importmap">', [{ note: 'inlineScript' }]],
  ['another base', '<base href="https://evil.example/">', [{ note: 'base', url: 'https://evil.example/' }]],
  ['a source in another attribute', '<script data-src="./theme.js">', [{ note: 'inlineScript' }]],
  [
    'the name of a file in its own prototype',
    '<script src="constructor">',
    [{ note: 'loads', url: '/files/constructor' }],
  ],
])('notes what it should on a page with %s', (_, page, notes) => {
  expect(notesOn(`<!doctype html>${page}</html>`, SITE)).toEqual(notes);
});

it('names each only once, and not more than ten', () => {
  const scripts = Array.from({ length: 50 }, (_, index) => `<script src="/${index}.js"></script>`);
  expect(notesOn('<script src="/evil.js">'.repeat(3), SITE)).toHaveLength(1);
  expect(notesOn(scripts.join(''), SITE)).toHaveLength(10);
});

/** It would exceed the time of the test if it grew with the square of the length. */
it.each(['<', '<script ', '<script src="', '<link rel = ', '<script a=\'"'])(
  'ends for a million characters of %s',
  (piece) => {
    expect(notesOn(piece.repeat(1_000_000 / piece.length), SITE).length).toBeLessThanOrEqual(10);
  },
);
