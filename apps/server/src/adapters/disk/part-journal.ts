// Which parts of an upload are safely on disk: an append-only file beside the data, synced line by line.
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import type { StoredPart } from '../../ports/object-store.ts';
import { orNotFound } from './file-errors.ts';

export interface Journal {
  parts: Map<number, StoredPart>;
  /** True once the upload is complete: no part may be written any more. */
  sealed: boolean;
}

type Entry = { part: StoredPart } | { overwriting: number } | { sealed: true };

export async function readJournal(path: string): Promise<Journal> {
  const journal: Journal = { parts: new Map(), sealed: false };
  for (const line of (await orNotFound(readFile(path, 'utf8'))).split('\n')) {
    const entry = parseEntry(line);
    if (!entry) continue;
    if ('part' in entry) journal.parts.set(entry.part.partNumber, entry.part);
    else if ('overwriting' in entry) journal.parts.delete(entry.overwriting);
    else journal.sealed = true;
  }
  return journal;
}

/** Resolves when the entry is durable. */
export async function appendToJournal(path: string, entry: Entry): Promise<void> {
  // Not created where it is missing: an upload that was aborted stays aborted.
  const file = await orNotFound(open(path, constants.O_WRONLY | constants.O_APPEND));
  try {
    // The leading line break closes a line that a crash may have torn, so that this entry is read whole.
    await file.appendFile(`\n${JSON.stringify(entry)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

function parseEntry(line: string): Entry | undefined {
  if (line === '') return undefined;
  try {
    return JSON.parse(line) as Entry;
  } catch {
    // Torn by a crash: it was never acknowledged.
    return undefined;
  }
}
