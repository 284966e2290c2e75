// The files that the sender has selected, and the problems with them. Pure.
import {
  MAX_FILE_NAME_LENGTH,
  MAX_FILES_PER_PAGE,
  MAX_NAMES_LENGTH_PER_PAGE,
  MAX_TOTAL_BYTES,
  shownName,
} from '@furoshiki/core';
import { sizeToSend } from '@furoshiki/transfer';
import type { SelectedFile } from '../../../services.ts';

export interface SelectionItem extends SelectedFile {
  id: number;
}

/** Why a file was not added to the selection. */
export type RefusalReason = 'empty' | 'duplicate' | 'fileTooLarge' | 'nameTooLong' | 'unreadable';

export interface Refusal {
  name: string;
  reason: RefusalReason;
}

export interface Selection {
  files: readonly SelectionItem[];
  /** The files that the last change did not add. */
  refused: readonly Refusal[];
  nextId: number;
}

/** Why the selection as a whole cannot be sent. No file is removed automatically: the sender decides which. */
export type SelectionProblem = 'nothing' | 'too-large' | 'too-many' | undefined;

export const EMPTY_SELECTION: Selection = { files: [], refused: [], nextId: 0 };

export function addFiles(
  selection: Selection,
  added: readonly SelectedFile[],
  unreadable: readonly string[] = [],
): Selection {
  const files = [...selection.files];
  const refused: Refusal[] = unreadable.map((name) => ({ name: shownName(name), reason: 'unreadable' }));
  const identities = new Set(files.map(identityOf));
  let namesLength = files.reduce((sum, { name }) => sum + name.length, 0);
  let { nextId } = selection;
  for (const { name: givenName, file } of added) {
    // The name is encrypted and authenticated as UTF-8, so it must be well-formed. The server refuses control characters.
    const named = { name: shownName(givenName.toWellFormed()), file };
    const reason = refusalOf(named, identities, namesLength);
    if (reason) {
      refused.push({ name: named.name, reason });
      continue;
    }
    identities.add(identityOf(named));
    namesLength += named.name.length;
    files.push({ id: nextId, ...named });
    nextId += 1;
  }
  return { files, refused, nextId };
}

export function removeFile(selection: Selection, id: number): Selection {
  return { ...selection, files: selection.files.filter((file) => file.id !== id), refused: [] };
}

/** Called when an upload starts, so that old refusals are not shown after it. */
export function clearRefusals(selection: Selection): Selection {
  return selection.refused.length === 0 ? selection : { ...selection, refused: [] };
}

/** With hidden names, the padding counts too. */
export function totalBytes({ files }: Selection, hidesNames = false): number {
  return files.reduce((sum, { file }) => sum + sizeToSend(file.size, hidesNames), 0);
}

export function problemOf(selection: Selection, hidesNames: boolean): SelectionProblem {
  if (selection.files.length === 0) return 'nothing';
  if (totalBytes(selection, hidesNames) > MAX_TOTAL_BYTES) return 'too-large';
  return selection.files.length > MAX_FILES_PER_PAGE ? 'too-many' : undefined;
}

function refusalOf(
  named: SelectedFile,
  identities: ReadonlySet<string>,
  namesLength: number,
): RefusalReason | undefined {
  const { size } = named.file;
  if (size === 0) return 'empty';
  if (size > MAX_TOTAL_BYTES) return 'fileTooLarge';
  if (named.name.length > MAX_FILE_NAME_LENGTH) return 'nameTooLong';
  if (namesLength + named.name.length > MAX_NAMES_LENGTH_PER_PAGE) return 'nameTooLong';
  return identities.has(identityOf(named)) ? 'duplicate' : undefined;
}

/** Files with the same name may be different files from different folders. */
function identityOf({ name, file }: SelectedFile): string {
  return JSON.stringify([name, file.size, file.lastModified]);
}
