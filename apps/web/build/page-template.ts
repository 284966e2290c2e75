// Inserts a page into the built index.html. The server later fills in the base path and the site's URL.
import { API_PREFIX } from '@furoshiki/api';
import { escapeHtml } from '@furoshiki/site';
import { type Language, languages } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import type { HeadTag } from '../src/app/head.ts';

interface Page {
  /** The name of the screen. main.tsx compares it with the path, because an offline browser may show another page. */
  screen: string;
  language: string;
  head: readonly HeadTag[];
  body: string;
  preloads: Preloads;
}

interface Fallback {
  head: readonly HeadTag[];
  body: string;
  /** What preload.js needs. */
  texts: Record<Language, string>;
  download: { modules: (readonly [file: string, integrity: string])[]; styles: readonly string[] };
}

/** Returns the `integrity` attribute of a built file. */
export type IntegrityOf = (file: string) => string;

export interface Preloads {
  /** The file with the texts of the page's language. */
  texts: string;
  /** Scripts and styles that are needed as soon as the app starts. */
  modules: readonly string[];
  laterStyles: readonly string[];
  /** Styles that the prerendered page needs. */
  styles: readonly string[];
}

/** The first paint needs no script, so scripts must not compete with the files that it needs. */
const LOW_PRIORITY = 'fetchpriority="low"';
const BUILT_LINK = /\n\s*<(?:link rel="(?:modulepreload|stylesheet)"|script type="module")[^>]*>(?:<\/script>)?/gu;

export function fillTemplate(
  template: string,
  importMap: string,
  { screen, language, head, body, preloads }: Page,
): string {
  if (/<[^>]*\sstyle=/u.test(body))
    throw new Error('a prerendered page has a style attribute, which the content security policy forbids');
  const { links, rest } = withoutLinks(template);
  const isStyle = (tag: string) => tag.includes('rel="stylesheet"');
  const hints = [
    importMapTag(importMap),
    ...links.filter(isStyle),
    ...preloads.styles.map((file) => `<link rel="stylesheet" crossorigin href="./${file}" />`),
    ...links.filter((tag) => !isStyle(tag)).map((tag) => tag.replace(' crossorigin', ` crossorigin ${LOW_PRIORITY}`)),
    `<link rel="preload" href="./${preloads.texts}" as="fetch" crossorigin ${LOW_PRIORITY} />`,
    ...preloads.modules.map((file) => `<link rel="modulepreload" crossorigin ${LOW_PRIORITY} href="./${file}" />`),
    ...preloads.laterStyles.map(
      (file) => `<link rel="preload" as="style" crossorigin ${LOW_PRIORITY} href="./${file}" />`,
    ),
    TOUCH_ICON,
    `<link rel="manifest" href="./manifests/${language}.webmanifest" />`,
  ];
  return replaceAllIn(rest, [
    [/(?<=<html[^>]*\slang=")[^"]*(?=")/u, language],
    [TITLE, [...head.map(markup), ...hints].join('\n    ')],
    [
      ROOT,
      `${loadFailed(language as Language)}\n    <div id="root" data-screen="${screen}">${body}</div>\n    <noscript>${legalNotice(language as Language)}</noscript>`,
    ],
  ]);
}

/** The page of all addresses without a page of their own. It has texts only for readers without JavaScript. */
export function fallbackPage(template: string, importMap: string, { head, body, texts, download }: Fallback): string {
  const { links, rest } = withoutLinks(template);
  const files = escapeHtml(JSON.stringify({ texts, download }));
  const tags = [
    ...head.map(markup),
    importMapTag(importMap),
    ...links,
    `<script async crossorigin src="./preload.js" data-files="${files}"></script>`,
  ];
  const noScript = languages.map(
    (code) =>
      `<p lang="${code}"><a href="./${code}">Furoshiki</a>: ${escapeHtml(messages[code].startUp.noScript)} ${legalNotice(code)}</p>`,
  );
  return replaceAllIn(rest, [
    [TITLE, [...tags, TOUCH_ICON].join('\n    ')],
    [
      ROOT,
      `${languages.map(loadFailed).join('\n    ')}\n    <div id="root">${body}</div>\n    <noscript>${noScript.join('\n      ')}</noscript>`,
    ],
  ]);
}

/** public/theme.js shows it if the scripts do not arrive, and sets the address. */
function loadFailed(language: Language): string {
  const { app, startUp } = messages[language];
  return `<p lang="${language}" class="load-failed" role="alert" hidden>${escapeHtml(app.pageFailed)} <a>${escapeHtml(startUp.reload)}</a></p>`;
}

/** Below /api, because it differs between servers and pages must not. */
const legalNotice = (language: Language) =>
  `<a href=".${API_PREFIX}/legal-notice/${language}">${escapeHtml(messages[language].nav.legal)}</a>`;

const TITLE = /<title>[^<]*<\/title>/u;
const ROOT = '<div id="root"></div>';
const TOUCH_ICON = '<link rel="apple-touch-icon" href="./icons/apple-180.png" />';

/** Before all modules, and before all links to them: browsers ignore a map that comes later. */
const importMapTag = (importMap: string) => `<script type="importmap">${importMap}</script>`;

/** Takes the links that the build has written out of the template. */
function withoutLinks(template: string): { links: string[]; rest: string } {
  const links = [...template.matchAll(BUILT_LINK)].map(([tag]) => tag.trim());
  return { links, rest: template.replaceAll(BUILT_LINK, '') };
}

function replaceAllIn(template: string, steps: [RegExp | string, string][]): string {
  return steps.reduce((html, [pattern, text]) => {
    const filled = html.replace(pattern, () => text);
    if (filled === html && !html.includes(text)) throw new Error(`index.html does not contain ${String(pattern)}`);
    return filled;
  }, template);
}

/** Not on other preloads: browsers use these only for a request with the same `integrity`, which imports do not have. */
const CHECKED_TAG = /<(?:script|link rel="(?:stylesheet|modulepreload)")[^>]*?(?<= (?:src|href)="\.\/)([^"]+)"/gu;

/** Lets browsers check each script and style that a tag of the page loads. */
export function withIntegrity(html: string, integrityOf: IntegrityOf): string {
  return html.replaceAll(CHECKED_TAG, (tag, file: string) => `${tag} integrity="${integrityOf(file)}"`);
}

function markup({ name, attributes, text }: HeadTag): string {
  const listed = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
  const open = `<${name} data-page=""${listed.join('')}`;
  if (text === undefined) return `${open} />`;
  return `${open}>${name === 'script' ? text : escapeHtml(text)}</${name}>`;
}
