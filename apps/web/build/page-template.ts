// Puts a written page into the built index.html. The server fills in what only it knows: the base path and the origin.
import type { HeadTag } from '../src/head/head-tags.ts';

/** Stands where the site's address belongs. routes/web-pages.ts of the server knows it too. */
export const SITE_URL_MARK = 'https://site.invalid';

interface Page {
  /** Which screen it is, for a browser that was given another page in its place. */
  screen: string;
  language: string;
  head: readonly HeadTag[];
  body: string;
  preloads: { texts: string; modules: readonly string[]; styles: readonly string[] };
}

export function fillTemplate(template: string, { screen, language, head, body, preloads }: Page): string {
  if (/<[^>]*\sstyle=/u.test(body))
    throw new Error('a page written at build has a style attribute, which the policy forbids');
  const hints = [
    `<link rel="preload" href="./${preloads.texts}" as="fetch" crossorigin />`,
    ...preloads.modules.map((file) => `<link rel="modulepreload" crossorigin href="./${file}" />`),
    ...preloads.styles.map((file) => `<link rel="stylesheet" crossorigin href="./${file}" />`),
    '<link rel="apple-touch-icon" href="./icons/apple-180.png" />',
    `<link rel="manifest" href="./manifests/${language}.webmanifest" />`,
  ];
  const steps: [RegExp | string, string][] = [
    [/(?<=<html[^>]*\slang=")[^"]*(?=")/u, language],
    [/<title>[^<]*<\/title>/u, [...head.map(markup), ...hints].join('\n    ')],
    ['<div id="root"></div>', `<div id="root" data-screen="${screen}">${body}</div>`],
  ];
  return steps.reduce((html, [place, text]) => {
    const filled = html.replace(place, () => text);
    if (filled === html && !html.includes(text)) throw new Error(`index.html has no place for ${String(place)}`);
    return filled;
  }, template);
}

function markup({ name, attributes, text }: HeadTag): string {
  const listed = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(value)}"`);
  const open = `<${name} data-page=""${listed.join('')}`;
  if (text === undefined) return `${open} />`;
  return `${open}>${name === 'script' ? text : escape(text)}</${name}>`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
