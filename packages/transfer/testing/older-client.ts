// A page as a client of format 2 has sent it that did not say how many files belong together, from a server that hides the list.
import { derivePageSecrets, IV_BYTES, openDetails, sealDetails, type SecretKey } from '@furoshiki/format';
import type { FakeServer } from './fake-server.ts';

const { subtle } = crypto;

/** Seals the details of all files again, without their number, and removes the list. */
export async function forgetFileCount(server: FakeServer, pageId: string, key: SecretKey): Promise<void> {
  for (const id of server.pages.get(pageId) ?? []) {
    const stored = server.files.get(id);
    if (stored) stored.page.details = await detailsWithoutCount(stored.page, key);
  }
  server.lists.delete(pageId);
}

interface Described {
  salt?: string | undefined;
  pageSalt?: string | undefined;
  details?: string | undefined;
}

async function detailsWithoutCount({ salt = '', pageSalt = '', details = '' }: Described, key: SecretKey) {
  const { detailsKey } = await derivePageSecrets(subtle, key, pageSalt);
  const opened = await openDetails(subtle, detailsKey, salt, details);
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  return sealDetails(subtle, detailsKey, iv, salt, { ...opened, fileCount: undefined }, false);
}
