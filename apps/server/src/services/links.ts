// The addresses that answers carry.
import { endpointPath } from '@furoshiki/core';

export function fileUrl(origin: string, id: string): string {
  return origin + endpointPath('takeGrant', { id });
}

/** Without a language: the reader's own decides. */
export function pageUrl(origin: string, pageId: string): string {
  return `${origin}/download/${pageId}`;
}
