// Inserts a prerendered page into the built index.html. The server later fills in the base path and the site's URL.
import { escapeHtml } from '@furoshiki/core';
import type { HeadTag } from '../src/app/head/head-tags.ts';

/** The server replaces it by the URL of the site (routes/web/prerendered-pages.ts). */
export const SITE_URL_PLACEHOLDER = 'https://site.invalid';

interface Page {
  /** The name of the screen. main.tsx compares it with the path, because an offline browser may show another page. */
  screen: string;
  language: string;
  head: readonly HeadTag[];
  body: string;
  preloads: Preloads;
}

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

export function fillTemplate(template: string, { screen, language, head, body, preloads }: Page): string {
  if (/<[^>]*\sstyle=/u.test(body))
    throw new Error('a prerendered page has a style attribute, which the content security policy forbids');
  const built = [...template.matchAll(BUILT_LINK)].map(([tag]) => tag.trim());
  const isStyle = (tag: string) => tag.includes('rel="stylesheet"');
  const hints = [
    ...built.filter(isStyle),
    ...preloads.styles.map((file) => `<link rel="stylesheet" crossorigin href="./${file}" />`),
    ...built.filter((tag) => !isStyle(tag)).map((tag) => tag.replace(' crossorigin', ` crossorigin ${LOW_PRIORITY}`)),
    `<link rel="preload" href="./${preloads.texts}" as="fetch" crossorigin ${LOW_PRIORITY} />`,
    ...preloads.modules.map((file) => `<link rel="modulepreload" crossorigin ${LOW_PRIORITY} href="./${file}" />`),
    ...preloads.laterStyles.map(
      (file) => `<link rel="preload" as="style" crossorigin ${LOW_PRIORITY} href="./${file}" />`,
    ),
    '<link rel="apple-touch-icon" href="./icons/apple-180.png" />',
    `<link rel="manifest" href="./manifests/${language}.webmanifest" />`,
  ];
  const steps: [RegExp | string, string][] = [
    [/(?<=<html[^>]*\slang=")[^"]*(?=")/u, language],
    [/<title>[^<]*<\/title>/u, [...head.map(markup), ...hints].join('\n    ')],
    ['<div id="root"></div>', `<div id="root" data-screen="${screen}">${body}</div>`],
  ];
  return steps.reduce(
    (html, [pattern, text]) => {
      const filled = html.replace(pattern, () => text);
      if (filled === html && !html.includes(text)) throw new Error(`index.html does not contain ${String(pattern)}`);
      return filled;
    },
    template.replaceAll(BUILT_LINK, ''),
  );
}

function markup({ name, attributes, text }: HeadTag): string {
  const listed = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
  const open = `<${name} data-page=""${listed.join('')}`;
  if (text === undefined) return `${open} />`;
  return `${open}>${name === 'script' ? text : escapeHtml(text)}</${name}>`;
}
