// The files that the sender has selected, and the problems with them. Pure.
import { shownName } from '@furoshiki/format';
import {
  type FileProblem,
  nameToSend,
  problemOfAll,
  problemOfFile,
  type TotalProblem,
  totalToSend,
} from '@furoshiki/transfer';
import type { SelectedFile } from '../../services.ts';

interface SelectionItem extends SelectedFile {
  id: number;
}

/** Why a file was not added to the selection. */
type RefusalReason = FileProblem | 'duplicate' | 'unreadable';

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
export type SelectionProblem = TotalProblem | undefined;

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
    const name = nameToSend(givenName);
    const identity = identityOf({ name, file });
    const isKnown = identities.has(identity);
    const reason = problemOfFile(name, file.size, namesLength) ?? (isKnown ? 'duplicate' : undefined);
    if (reason) {
      refused.push({ name, reason });
      continue;
    }
    identities.add(identity);
    namesLength += name.length;
    files.push({ id: nextId, name, file });
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

export function totalBytes({ files }: Selection, hidesNames = false): number {
  return totalToSend(sizesOf(files), hidesNames);
}

export function problemOf({ files }: Selection, hidesNames: boolean): SelectionProblem {
  return problemOfAll(sizesOf(files), hidesNames);
}

const sizesOf = (files: readonly SelectedFile[]) => files.map(({ file }) => file.size);

/** Files with the same name may be different files from different folders. */
function identityOf({ name, file }: SelectedFile): string {
  return JSON.stringify([name, file.size, file.lastModified]);
}
