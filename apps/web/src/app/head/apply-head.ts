// Writes a head into the document, in the place of the one before it.
import type { HeadTag } from './head-tags.ts';

/** Marks what belongs to a page and not to the site; build/page-template.ts sets it too. */
const MARK = 'data-page';

/** The browser takes no text for a script's, not even where it is data, unless `dataScript` vouches for it. */
type DataScript = (json: string) => string;

export function applyHead(language: string, tags: readonly HeadTag[], dataScript: DataScript): void {
  document.documentElement.lang = language;
  for (const old of document.head.querySelectorAll(`[${MARK}]`)) old.remove();
  document.head.append(...tags.map((tag) => elementOf(tag, dataScript)));
}

function elementOf({ name, attributes, text }: HeadTag, dataScript: DataScript): Element {
  const element = document.createElement(name);
  element.setAttribute(MARK, '');
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = name === 'script' ? dataScript(text) : text;
  return element;
}
