// The address of the site. The server writes the base path into the page; all other code reads it here.
import { splitKeyFromLink } from '@furoshiki/core';
import type { LinkKey } from '../../services.ts';

/** Empty, or a path such as /files. */
export const basePath = new URL(document.baseURI).pathname.replace(/\/$/u, '');

/** Returns the path of the page without the base path. */
export function currentPath(): string {
  return location.pathname.slice(basePath.length);
}

/** Returns the full URL of a path of the site. */
export function addressOf(path: string): string {
  return location.origin + basePath + path;
}

/** If the tab already shows the page of a "link with key", the link changes only the fragment, so it must reload. */
export function reloadForKeyInAddress(): void {
  addEventListener('hashchange', () => {
    if (splitKeyFromLink(location.href).keyText !== undefined) location.reload();
  });
}

/** Returns the key of a "link with key", and removes it from the address bar, so that a copied address has no key. */
export function takeKeyFromAddress(): LinkKey | undefined {
  const { link, keyText, isKeySent } = splitKeyFromLink(location.href);
  if (keyText === undefined) return undefined;
  history.replaceState(history.state, '', link);
  return { text: keyText, wasSent: isKeySent };
}
