// Explains a changed page: the scripts and styles in it that are not those of the release. It is no HTML parser, and
// decides nothing: a page with a wrong hash differs, whether this finds a reason or not.
import type { Release, SiteAddress } from '@furoshiki/site';

export type PageNote = { note: 'loads' | 'base'; url: string } | { note: 'inlineScript' };

const MAX_NOTES = 10;
const MAX_PAGE_LENGTH = 1_000_000;
const MAX_TAG_LENGTH = 2000;
const MAX_SHOWN = 300;
const NAMES = /^(script|link|base)(?=[\s/>])/iu;
const LOADED_LINKS = /^(?:stylesheet|modulepreload|preload)$/iu;
/** Other types are data. */
const SCRIPT_TYPE = /^(?:|module|importmap|speculationrules|.*(?:java|ecma|j)script.*)$/iu;

export function notesOn(page: string, { siteUrl, basePath, release }: SiteAddress & { release: Release }): PageNote[] {
  const notes = new Map<string, PageNote>();
  const add = (note: PageNote) => notes.size < MAX_NOTES && notes.set(JSON.stringify(note), note);
  const base = `${basePath}/`;
  const addLoaded = (source: string) => {
    const url = URL.canParse(source, `${siteUrl}/`) ? new URL(source, `${siteUrl}/`) : undefined;
    const isOwn = url !== undefined && url.origin === new URL(siteUrl).origin;
    const file = isOwn && url.pathname.startsWith(base) ? url.pathname.slice(base.length) : '';
    if (!Object.hasOwn(release.files, file))
      add({ note: 'loads', url: (isOwn ? url.pathname + url.search : source).slice(0, MAX_SHOWN) });
  };
  for (const piece of page.slice(0, MAX_PAGE_LENGTH).split('<').slice(1)) {
    const [, name] = NAMES.exec(piece) ?? [];
    if (name === undefined) continue;
    const [tag = ''] = piece.slice(0, MAX_TAG_LENGTH).split('>', 1);
    const attribute = attributesOf(tag);
    switch (name.toLowerCase()) {
      case 'script': {
        const source = attribute('src');
        if (source !== undefined) addLoaded(source);
        else if (SCRIPT_TYPE.test(attribute('type') ?? '')) add({ note: 'inlineScript' });
        break;
      }
      case 'link':
        if ((attribute('rel') ?? '').split(/\s+/u).some((rel) => LOADED_LINKS.test(rel)))
          addLoaded(attribute('href') ?? '');
        break;
      case 'base': {
        const url = attribute('href');
        if (url !== undefined && url !== base) add({ note: 'base', url: url.slice(0, MAX_SHOWN) });
        break;
      }
    }
  }
  return [...notes.values()];
}

function attributesOf(tag: string): (name: string) => string | undefined {
  const found = new Map<string, string>();
  // Browsers take the first one of two with the same name.
  for (const [, name = '', double, single, bare] of tag.matchAll(
    /(?<![\w-])([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+))/gu,
  ))
    if (!found.has(name.toLowerCase())) found.set(name.toLowerCase(), double ?? single ?? bare ?? '');
  return (name) => found.get(name);
}
