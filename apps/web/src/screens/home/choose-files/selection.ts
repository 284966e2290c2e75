// The files that a sender has chosen, and what is wrong with them. Pure.
import { MAX_FILE_NAME_LENGTH, MAX_FILES_PER_PAGE, MAX_TOTAL_BYTES } from '@furoshiki/core';
import type { SelectedFile } from '../../../services.ts';

export interface ChosenFile extends SelectedFile {
  id: number;
}

/** Why a file is not taken into the list. */
export type RefusalReason = 'empty' | 'duplicate' | 'fileTooLarge' | 'nameTooLong' | 'unreadable';

export interface Refusal {
  name: string;
  reason: RefusalReason;
}

export interface Selection {
  chosen: readonly ChosenFile[];
  /** What the last change left out, to be told. */
  refused: readonly Refusal[];
  nextId: number;
}

/** What keeps the list as a whole from being sent. Nothing is taken out of it: that is the sender's choice. */
export type SelectionProblem = 'nothing' | 'too-large' | 'too-many' | undefined;

export const EMPTY_SELECTION: Selection = { chosen: [], refused: [], nextId: 0 };

export function addFiles(
  selection: Selection,
  files: readonly SelectedFile[],
  unreadable: readonly string[] = [],
): Selection {
  const chosen = [...selection.chosen];
  const refused: Refusal[] = unreadable.map((name) => ({ name, reason: 'unreadable' }));
  const known = new Set(chosen.map(identityOf));
  let { nextId } = selection;
  for (const { name: givenName, file } of files) {
    // As it is sealed and shown: a name that UTF-8 can hold.
    const named = { name: givenName.toWellFormed(), file };
    const reason = refusalOf(named, known);
    if (reason) {
      refused.push({ name: named.name, reason });
      continue;
    }
    known.add(identityOf(named));
    chosen.push({ id: nextId, ...named });
    nextId += 1;
  }
  return { chosen, refused, nextId };
}

export function removeFile(selection: Selection, id: number): Selection {
  return { ...selection, chosen: selection.chosen.filter((file) => file.id !== id), refused: [] };
}

/** Once told, and gone on with, it is told no more. */
export function clearRefusals(selection: Selection): Selection {
  return selection.refused.length === 0 ? selection : { ...selection, refused: [] };
}

export function totalBytes({ chosen }: Selection): number {
  return chosen.reduce((sum, { file }) => sum + file.size, 0);
}

export function problemOf(selection: Selection): SelectionProblem {
  if (selection.chosen.length === 0) return 'nothing';
  if (totalBytes(selection) > MAX_TOTAL_BYTES) return 'too-large';
  return selection.chosen.length > MAX_FILES_PER_PAGE ? 'too-many' : undefined;
}

function refusalOf(named: SelectedFile, known: ReadonlySet<string>): RefusalReason | undefined {
  const { size } = named.file;
  if (size === 0) return 'empty';
  if (size > MAX_TOTAL_BYTES) return 'fileTooLarge';
  if (named.name.length > MAX_FILE_NAME_LENGTH) return 'nameTooLong';
  return known.has(identityOf(named)) ? 'duplicate' : undefined;
}

/** Two files of one name may be different ones, from different folders. */
function identityOf({ name, file }: SelectedFile): string {
  return JSON.stringify([name, file.size, file.lastModified]);
}
