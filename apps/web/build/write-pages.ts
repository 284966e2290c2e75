// The last step of the build: writes every page in every language as HTML, and compresses all files.
import {
  API_DOCS_PAGE,
  FALLBACK_PAGE,
  IMPORT_MAP_FILE,
  LEGAL_NOTICE_FOLDER,
  LISTED_SCREENS,
  type Screen,
  screenKey,
  screenPath,
  SHARE_PATH,
  SHARED_FIELD,
} from '@furoshiki/site';
import { FALLBACK_LANGUAGE, type Language, languages } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type * as Prerender from '../src/prerender.tsx';
import { apiDocsPage, STYLE } from './api-docs-page.ts';
import { legalNoticePage } from './legal-notice-page.ts';
import { compileMarkdown, limitsIn } from './markdown.ts';
import { fallbackPage, fillTemplate, type Preloads, withIntegrity } from './page-template.ts';

type Manifest = Record<string, { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[] }>;

export async function writePages(webFolder: string, rendererFolder: string): Promise<void> {
  const dist = join(webFolder, 'dist');
  const renderer = pathToFileURL(join(webFolder, rendererFolder, 'prerender.js')).href;
  const { prerenderFallback, prerenderPage } = (await import(renderer)) as typeof Prerender;
  // The service worker is a classic script, so the browser would refuse imports.
  if (/\bimport\s*[{"'*]/u.test(await readFile(join(dist, 'save.worker.js'), 'utf8')))
    throw new Error('save.worker.js imports a file, so it shares code with the page, which it must not');
  const template = await readFile(join(dist, 'index.html'), 'utf8');
  const manifest = JSON.parse(await readFile(join(dist, 'build-manifest.json'), 'utf8')) as Manifest;
  for (const name of ['build-manifest.json', 'index.html']) await rm(join(dist, name));
  const integrityOf = (file: string) =>
    `sha256-${createHash('sha256')
      .update(readFileSync(join(dist, file)))
      .digest('base64')}`;
  // Every module has its hash in the page, also those that it loads later.
  const chunks = (await readdir(join(dist, 'assets'))).filter((name) => /(?<!\.worker-[\w-]+)\.js$/u.test(name));
  const hashes = chunks.toSorted().map((name) => [`./assets/${name}`, integrityOf(`assets/${name}`)]);
  const importMap = JSON.stringify({ integrity: Object.fromEntries(hashes) });
  await write(join(dist, IMPORT_MAP_FILE), importMap);
  const writePage = (name: string, html: string) =>
    write(join(dist, 'pages', `${name}.html`), withIntegrity(html, integrityOf));
  // Cached together with the pages: a tab that stays open during an upgrade could not load its workers any more.
  const workers = (await readdir(join(dist, 'assets')))
    .filter((name) => /\.worker-[\w-]+\.js$/u.test(name))
    .toSorted()
    .map((name) => `assets/${name}`);
  for (const language of languages) {
    for (const screen of LISTED_SCREENS) {
      const { head, body } = await prerenderPage(screen, language);
      const html = fillTemplate(template, importMap, {
        screen: screenKey(screen),
        language,
        head,
        body,
        preloads: preloadsOf(manifest, screen, language),
      });
      await writePage(`${language}/${screenKey(screen)}`, html);
    }
    const legalNotice = await readFile(join(webFolder, CONTENT(language, 'legal-notice')), 'utf8');
    await write(
      join(dist, 'pages', LEGAL_NOTICE_FOLDER, `${language}.template`),
      legalNoticePage(compileMarkdown(legalNotice, limitsIn(language)), language),
    );
    await write(join(dist, 'manifests', `${language}.webmanifest`), JSON.stringify(appManifest(language)));
    const cached = [...offlineList(manifest, language), ...workers];
    await write(join(dist, 'offline', `${language}.json`), JSON.stringify(cached));
  }
  const { modules, laterStyles } = preloadsOf(manifest, { name: 'download', pageId: '' }, FALLBACK_LANGUAGE);
  const texts = Object.fromEntries(languages.map((language) => [language, fileOf(manifest, TEXTS(language))]));
  const fallback = fallbackPage(template, importMap, {
    ...prerenderFallback(),
    texts: texts as Record<Language, string>,
    download: { modules: modules.map((file) => [file, integrityOf(file)] as const), styles: laterStyles },
  });
  await writePage(FALLBACK_PAGE, fallback);
  await write(join(dist, 'api-docs.css'), STYLE);
  await writePage(API_DOCS_PAGE, apiDocsPage());
  await compressAll(dist);
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

const TEXTS = (language: string) => `../../packages/texts/src/${language}.json`;
const CONTENT = (language: string, page: string) => `content/${language}/${page}.md`;
const TRANSFERS = 'src/platform/transfers.ts';
const CONTENT_TEXT = 'src/screens/content/content-text.tsx';

function fileOf(manifest: Manifest, source: string): string {
  const entry = manifest[source];
  if (!entry) throw new Error(`the build manifest has no ${source}`);
  return entry.file;
}

/** The files that each screen needs besides the common chunk and the text of a content page. Home needs none to begin. */
const LOADED_LATER: Record<Screen['name'], readonly string[]> = {
  home: [],
  content: [CONTENT_TEXT],
  contact: ['src/screens/contact/contact-screen.tsx', TRANSFERS],
  download: ['src/screens/download/download-screen.tsx', 'src/platform/downloads/downloads.ts', TRANSFERS],
  'sign-in': ['src/screens/sign-in/sign-in-screen.tsx', TRANSFERS],
  'not-found': ['src/ui/empty-page.tsx'],
};

/** Lists the files for preload links. Without them the browser would discover these files one after another. */
function preloadsOf(manifest: Manifest, screen: Screen, language: Language): Preloads {
  const text = screen.name === 'content' ? [CONTENT(language, screen.page)] : [];
  const known = chunksOf(manifest, ['index.html']);
  const chunks = [...chunksOf(manifest, [...text, ...LOADED_LATER[screen.name]])].filter((name) => !known.has(name));
  const styles = chunks.flatMap((name) => manifest[name]?.css ?? []);
  return {
    texts: fileOf(manifest, TEXTS(language)),
    modules: chunks.map((name) => fileOf(manifest, name)),
    // A content page is prerendered completely, so its styles are needed for the first paint.
    styles: screen.name === 'content' ? styles : [],
    laterStyles: screen.name === 'content' ? [] : styles,
  };
}

/** Returns these sources and everything that they import. */
function chunksOf(manifest: Manifest, sources: readonly string[]): Set<string> {
  const found = new Set(sources);
  for (const source of found) for (const inner of manifest[source]?.imports ?? []) found.add(inner);
  return found;
}

/** Lists the files of all pages in one language, for the offline cache. */
function offlineList(manifest: Manifest, language: Language): string[] {
  // English is shown offline in a language that was never visited.
  const texts = [language, FALLBACK_LANGUAGE].map((code) => fileOf(manifest, TEXTS(code)));
  const files = new Set<string>([...texts, 'icon.svg', 'theme.js']);
  const add = (source: string): void => {
    const entry = manifest[source];
    if (!entry || files.has(entry.file)) return;
    for (const file of [entry.file, ...(entry.css ?? [])]) files.add(file);
    for (const inner of entry.imports ?? []) add(inner);
    // Content pages in other languages are cached when the user switches to that language.
    for (const inner of entry.dynamicImports ?? [])
      if (!inner.startsWith('content/') || inner.startsWith(`content/${language}/`)) add(inner);
  };
  add('index.html');
  return [...LISTED_SCREENS.map((screen) => screenPath(screen, language).slice(1)), ...files];
}

/** The web app manifest. Its URLs are relative to manifests/, so that it works below any base path. */
function appManifest(language: Language) {
  const { head, home } = messages[language];
  return {
    id: '../',
    name: 'Furoshiki',
    short_name: 'Furoshiki',
    description: head.home.description,
    lang: language,
    dir: 'ltr',
    start_url: `../${language}`,
    scope: '../',
    display: 'standalone',
    // The same colours as in ui/styles/tokens.css.
    background_color: '#faf7f1',
    theme_color: '#274a78',
    icons: [
      { src: '../icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      { src: '../icons/192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
      { src: '../icons/512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
      { src: '../icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
    shortcuts: [{ name: home.title, url: `../${language}` }],
    share_target: {
      action: `..${SHARE_PATH}`,
      method: 'POST',
      enctype: 'multipart/form-data',
      params: { files: [{ name: SHARED_FIELD, accept: ['*/*'] }] },
    },
    // What is shared must not replace a page that sends or receives.
    launch_handler: { client_mode: ['navigate-new', 'auto'] },
  };
}

/** The byte of a gzip file that names the system that made it, and its value for an unknown system (RFC 1952). */
const GZIP_SYSTEM = 9;
const UNKNOWN_SYSTEM = 255;
const TEXTUAL = /\.(?:js|css|json|svg|webmanifest)$/u;
const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

export async function compressAll(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true });
  await Promise.all(
    names
      .filter((name) => TEXTUAL.test(name))
      .map(async (name) => {
        const path = join(folder, name);
        const plain = await readFile(path);
        const compressed = {
          br: await toBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }),
          gz: await toGzip(plain, { level: constants.Z_BEST_COMPRESSION }),
        };
        // macOS and Linux write different values, but every build of a commit must have the same bytes.
        compressed.gz[GZIP_SYSTEM] = UNKNOWN_SYSTEM;
        for (const [extension, bytes] of Object.entries(compressed))
          if (bytes.length < plain.length) await writeFile(`${path}.${extension}`, bytes);
      }),
  );
}
