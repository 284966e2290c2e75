// Which parts of an upload are safely on disk: a file beside the data that grows by a line at a time, each synced.
import { constants } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredPart } from '../../ports/object-store.ts';
import { orNotFound } from './file-errors.ts';
import { syncFolder } from './sync-folder.ts';

export interface Journal {
  parts: Map<number, StoredPart>;
  /** True once the upload is complete: no part may be written any more. */
  sealed: boolean;
  /** How many entries were read, those included that later ones have overtaken. */
  entries: number;
}

type Entry = { part: StoredPart } | { overwriting: number } | { sealed: true };

/** What may be overtaken before it is worth a rewrite, besides as many entries as there are parts. */
const SPARE_ENTRIES = 100;

export async function readJournal(path: string): Promise<Journal> {
  const journal: Journal = { parts: new Map(), sealed: false, entries: 0 };
  for (const line of (await orNotFound(readFile(path, 'utf8'))).split('\n')) {
    const entry = parseEntry(line);
    if (!entry) continue;
    journal.entries += 1;
    if ('part' in entry) journal.parts.set(entry.part.partNumber, entry.part);
    else if ('overwriting' in entry) journal.parts.delete(entry.overwriting);
    else journal.sealed = true;
  }
  return journal;
}

/**
 * Withdraws a part before its bytes are overwritten. A part that is sent again and again would let the journal grow without
 * end: where most of it is overtaken, it is written anew without the part. Nobody else may write to it meanwhile.
 */
export async function withdrawPart(path: string, { parts, entries }: Journal, partNumber: number): Promise<void> {
  if (entries < 2 * parts.size + SPARE_ENTRIES) return appendToJournal(path, { overwriting: partNumber });
  const others = [...parts.values()].filter((part) => part.partNumber !== partNumber);
  // Under another name until it is whole on disk: a crash leaves the old journal or the new one.
  const draft = `${path}.new`;
  const file = await orNotFound(open(draft, 'w'));
  try {
    await file.writeFile(others.map((part) => lineOf({ part })).join(''));
    await file.sync();
  } finally {
    await file.close();
  }
  await orNotFound(rename(draft, path));
  await syncFolder(dirname(path));
}

/** Resolves when the entry is durable. */
export async function appendToJournal(path: string, entry: Entry): Promise<void> {
  // Not created where it is missing: an upload that was aborted stays aborted.
  const file = await orNotFound(open(path, constants.O_WRONLY | constants.O_APPEND));
  try {
    await file.appendFile(lineOf(entry));
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** The leading line break closes a line that a crash may have torn, so that this entry is read whole. */
function lineOf(entry: Entry): string {
  return `\n${JSON.stringify(entry)}\n`;
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
