// The address of the site. The server writes the base path into the page; all other code reads it here.
import { linkWithKey, splitKeyFromLink } from '@furoshiki/format';
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
export function reloadForKeyInAddress(known: LinkKey | undefined): void {
  addEventListener('hashchange', () => {
    const { keyText } = splitKeyFromLink(location.href);
    if (keyText !== undefined && keyText !== known?.text) location.reload();
  });
}

/**
 * Returns the key of a "link with key". It stays in the fragment of the address, which no browser sends, so that reload
 * and bookmark work. A key in the path, which is sent, becomes a fragment.
 */
export function keyOfAddress(): LinkKey | undefined {
  const { link, keyText, isKeySent } = splitKeyFromLink(location.href);
  if (keyText === undefined) return undefined;
  if (isKeySent) history.replaceState(history.state, '', linkWithKey(link, keyText));
  return { text: keyText, wasSent: isKeySent };
}
