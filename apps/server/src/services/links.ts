// The addresses that answers carry.
import { endpointPath } from '@furoshiki/core';

export function fileUrl(siteUrl: string, id: string): string {
  return siteUrl + endpointPath('takeGrant', { id });
}

/** Without a language: the reader's own decides. */
export function pageUrl(siteUrl: string, pageId: string): string {
  return `${siteUrl}/download/${pageId}`;
}
