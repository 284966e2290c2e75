// Knows a file again: by its name, its size, its date, and a hash of samples of its content.
import { KB, toBase64 } from '@furoshiki/core';
import type { LocalFile } from '@furoshiki/transfer';
import type { SelectedFile, FileMatch } from '../../services.ts';

export interface FileMark {
  /** As it is sealed and shown. */
  name: string;
  size: number;
  contentType: string;
  modifiedAtMs: number;
  /** SHA-256, Base64. */
  sample: string;
}

const SAMPLE_BYTES = 64 * KB;
const SAMPLES = 9;

export async function marksOf(files: readonly SelectedFile[]): Promise<FileMark[]> {
  const marks: FileMark[] = [];
  for (const file of files) marks.push(await markOf(file));
  return marks;
}

/** Reads half a megabyte, however large the file is: enough to tell another one, or one that was written anew. */
async function markOf({ name, file }: SelectedFile): Promise<FileMark> {
  const { size, type: contentType, lastModified: modifiedAtMs } = file;
  return { name, size, contentType, modifiedAtMs, sample: await sampleOf(file) };
}

/** Of a file that has arrived already only the mark is needed: the first `arrived` are never read again. */
export async function recognise(
  marks: readonly FileMark[],
  arrived: number,
  given: readonly SelectedFile[],
): Promise<FileMatch> {
  const recognition: FileMatch = { files: [], missing: [], changed: [] };
  const names = new Set(marks.map(lastSegment));
  const known = new Set(marks.map(identityOf));
  const found = new Map<string, File>();
  // What another folder of the upload has under the same name is no changed file: it is that other one.
  const strangers = new Set<string>();
  for (const named of given) {
    const name = lastSegment(named);
    if (!names.has(name)) continue;
    // What cannot be read is as good as missing.
    const mark = await markOf(named).catch(() => undefined);
    if (!mark) continue;
    const identity = identityOf(mark);
    if (known.has(identity)) found.set(identity, named.file);
    else strangers.add(name);
  }
  for (const [index, mark] of marks.entries()) {
    const file = index < arrived ? new File([], mark.name) : found.get(identityOf(mark));
    if (file) recognition.files.push(localFileOf(mark, file));
    else recognition[strangers.has(lastSegment(mark)) ? 'changed' : 'missing'].push(mark.name);
  }
  return recognition;
}

function localFileOf({ name, size, contentType }: FileMark, source: File): LocalFile<File> {
  return { name, size, contentType, source };
}

function identityOf(mark: FileMark): string {
  return JSON.stringify([lastSegment(mark), mark.size, mark.modifiedAtMs, mark.sample]);
}

/** A file of a folder may be picked by itself the second time. */
function lastSegment({ name }: { name: string }): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

async function sampleOf(file: File): Promise<string> {
  const last = Math.max(0, file.size - SAMPLE_BYTES);
  const starts = Array.from({ length: SAMPLES }, (_, n) => Math.floor((last * n) / (SAMPLES - 1)));
  const samples = new Blob([...new Set(starts)].map((start) => file.slice(start, start + SAMPLE_BYTES)));
  return toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', await samples.arrayBuffer())));
}
