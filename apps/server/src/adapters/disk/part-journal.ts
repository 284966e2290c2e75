// The part journal: a file beside the data that lists the stored parts of an upload. Each line is synced when it is added.
import { constants } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { StoredPart } from '../../ports/object-store.ts';
import { orNotFound } from './file-io.ts';
import { syncFolder } from '../../sync-folder.ts';

interface Journal {
  parts: Map<number, StoredPart>;
  /** True once the upload is complete: then no part may be written. */
  completed: boolean;
  /** How many entries were read, including those that a later entry replaced. */
  entries: number;
}

/** One line of the file. `sealed` means completed: the files of earlier versions have this word, so it stays. */
type Entry = { part: StoredPart } | { overwriting: number } | { sealed: true };

export const COMPLETED: Entry = { sealed: true };

/** The journal is rewritten when it has this many replaced entries more than it has parts. */
const SPARE_ENTRIES = 100;

export async function readJournal(path: string): Promise<Journal> {
  return parseJournal(await orNotFound(readFile(path, 'utf8')));
}

export function parseJournal(text: string): Journal {
  const journal: Journal = { parts: new Map(), completed: false, entries: 0 };
  for (const line of text.split('\n')) {
    const entry = parseEntry(line);
    if (!entry) continue;
    journal.entries += 1;
    if ('part' in entry) journal.parts.set(entry.part.partNumber, entry.part);
    else if ('overwriting' in entry) journal.parts.delete(entry.overwriting);
    else journal.completed = true;
  }
  return journal;
}

/**
 * Withdraws a part before its bytes are overwritten. A part that is sent many times would let the journal grow without
 * limit: if most entries are replaced, the journal is rewritten without the part. The caller holds the journal's lock.
 */
export async function withdrawPart(path: string, { parts, entries }: Journal, partNumber: number): Promise<void> {
  if (entries < 2 * parts.size + SPARE_ENTRIES) return appendToJournal(path, { overwriting: partNumber });
  const others = [...parts.values()].filter((part) => part.partNumber !== partNumber);
  // It has another name until it is complete on disk: a crash leaves either the old journal or the new one.
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

/** Resolves when the entry is on disk. */
export async function appendToJournal(path: string, entry: Entry): Promise<void> {
  // Do not create a missing file: an aborted upload stays aborted.
  const file = await orNotFound(open(path, constants.O_WRONLY | constants.O_APPEND));
  try {
    await file.appendFile(lineOf(entry));
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** The leading line break ends a line that a crash may have cut off, so that this entry has its own line. */
function lineOf(entry: Entry): string {
  return `\n${JSON.stringify(entry)}\n`;
}

function parseEntry(line: string): Entry | undefined {
  if (line === '') return undefined;
  try {
    return JSON.parse(line) as Entry;
  } catch {
    // Cut off by a crash: this entry was never acknowledged.
    return undefined;
  }
}
