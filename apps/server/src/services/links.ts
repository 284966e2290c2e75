// The URLs in responses.
import { endpointPath } from '@furoshiki/api';

export function fileUrl(siteUrl: string, id: string): string {
  return siteUrl + endpointPath('takeGrant', { id });
}

/** Has no language in its path: the reader's browser decides. */
export function pageUrl(siteUrl: string, pageId: string): string {
  return `${siteUrl}/download/${pageId}`;
}
