// Where the site stands: the server writes its base path into the page, and everything else learns it here.
import { splitKeyFromLink } from '@furoshiki/core';

/** Empty, or such as /files. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/u, '');

/** Where the page is, as the site map knows it. */
export function currentPath(): string {
  return location.pathname.slice(basePath.length);
}

/** The full address of a path of the site. */
export function addressOf(path: string): string {
  return location.origin + basePath + path;
}

/** A "link with key" that is opened where its page stands already changes the fragment alone, and nobody would read it. */
export function reloadForKeyInAddress(): void {
  addEventListener('hashchange', () => {
    if (splitKeyFromLink(location.href).keyText !== undefined) location.reload();
  });
}

/** The key in a "link with key". It is taken off the address at once, so that no copy of that carries it on. */
export function takeKeyFromAddress(): string | undefined {
  const { link, keyText } = splitKeyFromLink(location.href);
  if (keyText !== undefined) history.replaceState(history.state, '', link);
  return keyText;
}
