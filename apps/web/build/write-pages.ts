// The last step of the build: every page in every language as HTML, with its own head and text; then all is compressed.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LISTED_SCREENS, type Screen, screenKey, screenPath } from '@furoshiki/core';
import { type Language, languages } from '@furoshiki/locales';
import type { WrittenPage } from '../src/prerender.tsx';
import { compressAll } from './compress.ts';
import { appManifest } from './app-manifest.ts';
import { fillTemplate, type Preloads, SITE_URL_PLACEHOLDER } from './page-template.ts';

type WritePage = (screen: Screen, language: Language, siteUrl: string) => Promise<WrittenPage>;
type Manifest = Record<string, { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[] }>;

/** One for each kind of page; a download's id is not in it. */
const SCREENS: readonly Screen[] = [...LISTED_SCREENS, { name: 'download', pageId: '' }, { name: 'not-found' }];

export async function writePages(webFolder: string, rendererFolder: string): Promise<void> {
  const dist = join(webFolder, 'dist');
  const renderer = pathToFileURL(join(webFolder, rendererFolder, 'prerender.js')).href;
  const { writePage } = (await import(renderer)) as { writePage: WritePage };
  // A service worker is one file: the browser refuses one that imports.
  if (/\bimport\s*[{"'*]/u.test(await readFile(join(dist, 'save.worker.js'), 'utf8')))
    throw new Error('save.worker.js imports a file: it may share no code with the page');
  const template = await readFile(join(dist, 'index.html'), 'utf8');
  const manifest = JSON.parse(await readFile(join(dist, 'build-manifest.json'), 'utf8')) as Manifest;
  await rm(join(dist, 'build-manifest.json'));
  // Not for reading, but fetched along with it: a tab that stays open over an upgrade could load them no more.
  const workers = (await readdir(join(dist, 'assets')))
    .filter((name) => /\.worker-[\w-]+\.js$/u.test(name))
    .map((name) => `assets/${name}`);
  for (const language of languages) {
    for (const screen of SCREENS) {
      const { head, body } = await writePage(screen, language, SITE_URL_PLACEHOLDER);
      const html = fillTemplate(template, {
        screen: screenKey(screen),
        language,
        head,
        body,
        preloads: preloadsOf(manifest, screen, language),
      });
      await write(join(dist, 'pages', language, `${screenKey(screen)}.html`), html);
    }
    await write(join(dist, 'manifests', `${language}.webmanifest`), JSON.stringify(appManifest(language)));
    const kept = [...offlineList(manifest, language), ...workers];
    await write(join(dist, 'offline', `${language}.json`), JSON.stringify(kept));
  }
  await compressAll(dist);
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const TEXTS = (language: string) => `../../packages/locales/src/${language}.json`;
const CONTENT = (language: string, page: string) => `content/${language}/${page}.md`;
const CONTENT_TEXT = 'src/screens/content/content-text.tsx';

function fileOf(manifest: Manifest, source: string): string {
  const entry = manifest[source];
  if (!entry) throw new Error(`the build has no ${source}`);
  return entry.file;
}

/** What each screen loads besides the common chunk. A content page's own text comes with its language. */
const LOADED_LATER: Record<Screen['name'], readonly string[]> = {
  home: [],
  content: [CONTENT_TEXT],
  contact: ['src/screens/contact/contact-screen.tsx'],
  download: ['src/screens/download/download-screen.tsx', 'src/platform/downloads/downloads.ts'],
  'not-found': ['src/screens/not-found/not-found-screen.tsx'],
};

/** What the page will ask for as soon as its script runs, one chunk after the other, unless it is told beforehand. */
function preloadsOf(manifest: Manifest, screen: Screen, language: Language): Preloads {
  const text = screen.name === 'content' ? [CONTENT(language, screen.page)] : [];
  const known = chunksOf(manifest, ['index.html']);
  const chunks = [...chunksOf(manifest, [...text, ...LOADED_LATER[screen.name]])].filter((name) => !known.has(name));
  const styles = chunks.flatMap((name) => manifest[name]?.css ?? []);
  return {
    texts: fileOf(manifest, TEXTS(language)),
    modules: chunks.map((name) => fileOf(manifest, name)),
    // A page of text is written whole, so it is drawn before it comes alive.
    styles: screen.name === 'content' ? styles : [],
    laterStyles: screen.name === 'content' ? [] : styles,
  };
}

/** These and all that they import, each once. */
function chunksOf(manifest: Manifest, sources: readonly string[]): Set<string> {
  const found = new Set(sources);
  for (const source of found) for (const inner of manifest[source]?.imports ?? []) found.add(inner);
  return found;
}

/** All that the pages of one language are made of, for a browser to keep. */
function offlineList(manifest: Manifest, language: Language): string[] {
  const files = new Set<string>([fileOf(manifest, TEXTS(language)), 'icon.svg', 'theme.js']);
  const add = (source: string): void => {
    const entry = manifest[source];
    if (!entry || files.has(entry.file)) return;
    for (const file of [entry.file, ...(entry.css ?? [])]) files.add(file);
    for (const inner of entry.imports ?? []) add(inner);
    // Pages of text in other languages are for those who read them.
    for (const inner of entry.dynamicImports ?? [])
      if (!inner.startsWith('content/') || inner.startsWith(`content/${language}/`)) add(inner);
  };
  add('index.html');
  return [...LISTED_SCREENS.map((screen) => screenPath(screen, language).slice(1)), ...files];
}
