// The files that a sender has chosen, and what is wrong with them. Pure.
import { MAX_FILES_PER_PAGE, MAX_TOTAL_BYTES } from '@furoshiki/core';

export interface ChosenFile {
  id: number;
  /** As it is sealed and shown: a name that UTF-8 can hold. */
  name: string;
  size: number;
  file: File;
}

export interface Selection {
  chosen: readonly ChosenFile[];
  /** Names of files that were left out because they are empty. */
  empty: readonly string[];
  nextId: number;
}

export type SelectionProblem = 'nothing' | 'too-large' | 'too-many' | undefined;

export const EMPTY_SELECTION: Selection = { chosen: [], empty: [], nextId: 0 };

export function addFiles(selection: Selection, files: readonly File[]): Selection {
  const named = files.map((file, order) => ({
    id: selection.nextId + order,
    name: file.name.toWellFormed(),
    size: file.size,
    file,
  }));
  return {
    chosen: [...selection.chosen, ...named.filter(({ size }) => size > 0)],
    empty: named.filter(({ size }) => size === 0).map(({ name }) => name),
    nextId: selection.nextId + files.length,
  };
}

export function removeFile(selection: Selection, id: number): Selection {
  return { ...selection, chosen: selection.chosen.filter((file) => file.id !== id), empty: [] };
}

export function totalBytes({ chosen }: Selection): number {
  return chosen.reduce((sum, { size }) => sum + size, 0);
}

export function problemOf(selection: Selection): SelectionProblem {
  if (selection.chosen.length === 0) return 'nothing';
  if (totalBytes(selection) > MAX_TOTAL_BYTES) return 'too-large';
  return selection.chosen.length > MAX_FILES_PER_PAGE ? 'too-many' : undefined;
}
