// Checks that a key opens everything that a fake server has.
import { openPage } from '@furoshiki/format';
import { importKeyText } from '../src/platform/device/import-key.ts';
import type { FakeServices } from './fake-services.ts';

/** Rejects if the key does not fit. Returns the names that the sender has given. */
export async function openWith({ server }: FakeServices, keyText: string): Promise<string[]> {
  const files = [...server.files.values()].map(({ page }) => page);
  const opened = await openPage(crypto.subtle, await importKeyText(keyText), { files });
  return [...opened.files.values()].map(({ details }) => details.name);
}
