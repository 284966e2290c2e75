// Puts a written page into the built index.html. The server fills in what only it knows: the base path and the origin.
import type { HeadTag } from '../src/app/head/head-tags.ts';

/** Stands where the site's address belongs. routes/web-pages.ts of the server knows it too. */
export const SITE_URL_PLACEHOLDER = 'https://site.invalid';

interface Page {
  /** Which screen it is, for a browser that was given another page in its place. */
  screen: string;
  language: string;
  head: readonly HeadTag[];
  body: string;
  preloads: Preloads;
}

export interface Preloads {
  /** The texts of its language. */
  texts: string;
  /** Scripts and styles that will be asked for as soon as the page comes alive. */
  modules: readonly string[];
  laterStyles: readonly string[];
  /** What the page as written is drawn with. */
  styles: readonly string[];
}

/** Nothing that is painted first waits for a script, so scripts wait for what is. */
const LATER = 'fetchpriority="low"';
const BUILT_LINK = /\n\s*<(?:link rel="(?:modulepreload|stylesheet)"|script type="module")[^>]*>(?:<\/script>)?/gu;

export function fillTemplate(template: string, { screen, language, head, body, preloads }: Page): string {
  if (/<[^>]*\sstyle=/u.test(body))
    throw new Error('a page written at build has a style attribute, which the policy forbids');
  const built = [...template.matchAll(BUILT_LINK)].map(([tag]) => tag.trim());
  const isStyle = (tag: string) => tag.includes('rel="stylesheet"');
  const hints = [
    ...built.filter(isStyle),
    ...preloads.styles.map((file) => `<link rel="stylesheet" crossorigin href="./${file}" />`),
    ...built.filter((tag) => !isStyle(tag)).map((tag) => tag.replace(' crossorigin', ` crossorigin ${LATER}`)),
    `<link rel="preload" href="./${preloads.texts}" as="fetch" crossorigin ${LATER} />`,
    ...preloads.modules.map((file) => `<link rel="modulepreload" crossorigin ${LATER} href="./${file}" />`),
    ...preloads.laterStyles.map((file) => `<link rel="preload" as="style" crossorigin ${LATER} href="./${file}" />`),
    '<link rel="apple-touch-icon" href="./icons/apple-180.png" />',
    `<link rel="manifest" href="./manifests/${language}.webmanifest" />`,
  ];
  const steps: [RegExp | string, string][] = [
    [/(?<=<html[^>]*\slang=")[^"]*(?=")/u, language],
    [/<title>[^<]*<\/title>/u, [...head.map(markup), ...hints].join('\n    ')],
    ['<div id="root"></div>', `<div id="root" data-screen="${screen}">${body}</div>`],
  ];
  return steps.reduce(
    (html, [place, text]) => {
      const filled = html.replace(place, () => text);
      if (filled === html && !html.includes(text)) throw new Error(`index.html has no place for ${String(place)}`);
      return filled;
    },
    template.replaceAll(BUILT_LINK, ''),
  );
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
