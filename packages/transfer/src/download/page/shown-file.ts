// A file of a page, as the server describes it, and once the key is entered as the sender has described it.
import type { PageFile } from '@furoshiki/api';
import type { OpenedFile } from '@furoshiki/format';

/** After it was opened, `fileName` and `fileSize` are those of its details. */
export interface ShownFile extends PageFile {
  opened?: OpenedFile;
  /** As the server sent it. Set together with `opened`. */
  served?: PageFile;
}

export const servedFile = (file: ShownFile): PageFile => file.served ?? file;

export function openedFile(served: PageFile, opened: OpenedFile): ShownFile {
  return { ...served, fileName: opened.details.name, fileSize: opened.details.size, opened, served };
}

/** What opening a file depends on. The rest only counts downloads. */
export function sealedFacts(file: ShownFile): string {
  const { fileName, fileSize, chunkSize, isEncrypted, format, salt, pageSalt, keyCheck, details } = servedFile(file);
  return JSON.stringify([fileName, fileSize, chunkSize, isEncrypted, format, salt, pageSalt, keyCheck, details]);
}

/** The file as it was sent now. Stays opened unless something other than its counts has changed. */
export function updatedFile(before: ShownFile, now: PageFile): ShownFile {
  // Keeps the object of a file that has not changed, so that its row is not drawn again.
  if (JSON.stringify(servedFile(before)) === JSON.stringify(now)) return before;
  return before.opened && sealedFacts(before) === sealedFacts(now) ? openedFile(now, before.opened) : now;
}
