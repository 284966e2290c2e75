// The rules for files that are chosen to be sent: names, order and limits. The server enforces the same limits.
import { MAX_NAMES_LENGTH_PER_PAGE, MAX_TOTAL_BYTES } from '@furoshiki/api';
import { MAX_FILE_NAME_LENGTH, MAX_FILES_PER_PAGE, paddedSize, shownName } from '@furoshiki/format';

/** Why one file cannot be sent. */
export type FileProblem = 'empty' | 'fileTooLarge' | 'nameTooLong';
/** Why the files together cannot be sent. */
export type TotalProblem = 'nothing' | 'too-large' | 'too-many';

/** Files that operating systems create in folders. Users do not want to send them, unless they have chosen the file itself. */
export const SYSTEM_FILES = /\/(?:\.DS_Store|Thumbs\.db|desktop\.ini)$/iu;

/** As people count: 2 comes before 10. */
export const { compare: compareNames } = new Intl.Collator(undefined, { numeric: true });

/** The name is encrypted and authenticated as UTF-8, so it must be well-formed. The server refuses control characters. */
export const nameToSend = (name: string): string => shownName(name.toWellFormed());

/** `namesLength`: of the names of all other files. */
export function problemOfFile(name: string, size: number, namesLength: number): FileProblem | undefined {
  if (size === 0) return 'empty';
  if (size > MAX_TOTAL_BYTES) return 'fileTooLarge';
  const isTooLong = name.length > MAX_FILE_NAME_LENGTH || namesLength + name.length > MAX_NAMES_LENGTH_PER_PAGE;
  return isTooLong ? 'nameTooLong' : undefined;
}

export function problemOfAll(sizes: readonly number[], hidesNames: boolean): TotalProblem | undefined {
  if (sizes.length === 0) return 'nothing';
  if (totalToSend(sizes, hidesNames) > MAX_TOTAL_BYTES) return 'too-large';
  return sizes.length > MAX_FILES_PER_PAGE ? 'too-many' : undefined;
}

/** With hidden names, the padding counts too. */
export function totalToSend(sizes: readonly number[], hidesNames: boolean): number {
  return sizes.reduce((sum, size) => sum + sizeToSend(size, hidesNames), 0);
}

/** Padding is sent too. */
export function sizeToSend(size: number, hidesNames: boolean): number {
  return hidesNames ? paddedSize(size) : size;
}
