// Replaces the page's tags in the document's head.
import type { HeadTag } from './head-tags.ts';

/** Set on tags that belong to one page and not to the whole site. build/page-template.ts sets it too. */
const PAGE_ATTRIBUTE = 'data-page';

/** Trusted Types refuses any text in a script element, even data, unless `dataScript` has approved it. */
type DataScript = (json: string) => string;

export function applyHead(language: string, tags: readonly HeadTag[], dataScript: DataScript): void {
  document.documentElement.lang = language;
  for (const old of document.head.querySelectorAll(`[${PAGE_ATTRIBUTE}]`)) old.remove();
  document.head.append(...tags.map((tag) => elementOf(tag, dataScript)));
}

function elementOf({ name, attributes, text }: HeadTag, dataScript: DataScript): Element {
  const element = document.createElement(name);
  element.setAttribute(PAGE_ATTRIBUTE, '');
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = name === 'script' ? dataScript(text) : text;
  return element;
}
