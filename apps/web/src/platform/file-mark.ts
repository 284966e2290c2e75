// Knows a file again: by its name, its size, its date, and a hash of samples of its content.
import { KB, toBase64 } from '@furoshiki/core';
import type { LocalFile } from '@furoshiki/transfer';
import type { NamedFile, Recognition } from '../services.ts';

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

/** Reads half a megabyte of each, however large it is: enough to tell another file, or one that was written anew. */
export async function marksOf(files: readonly NamedFile[]): Promise<FileMark[]> {
  const marks: FileMark[] = [];
  for (const { name, file } of files) {
    const { size, type: contentType, lastModified: modifiedAtMs } = file;
    marks.push({ name, size, contentType, modifiedAtMs, sample: await sampleOf(file) });
  }
  return marks;
}

/** Of a file that has arrived already only the mark is needed: the first `arrived` are never read again. */
export async function recognise(
  marks: readonly FileMark[],
  arrived: number,
  given: readonly NamedFile[],
): Promise<Recognition> {
  const recognition: Recognition = { files: [], missing: [], changed: [] };
  for (const [index, mark] of marks.entries()) {
    if (index < arrived) {
      recognition.files.push(localFileOf(mark, new File([], mark.name)));
      continue;
    }
    const namesakes = given.filter(({ name }) => lastSegment(name) === lastSegment(mark.name));
    const found = await findMarked(mark, namesakes);
    if (found) recognition.files.push(localFileOf(mark, found.file));
    else recognition[namesakes.length > 0 ? 'changed' : 'missing'].push(mark.name);
  }
  return recognition;
}

async function findMarked(mark: FileMark, given: readonly NamedFile[]): Promise<NamedFile | undefined> {
  for (const candidate of given) {
    const { size, lastModified } = candidate.file;
    if (size !== mark.size || lastModified !== mark.modifiedAtMs) continue;
    if ((await sampleOf(candidate.file)) === mark.sample) return candidate;
  }
  return undefined;
}

function localFileOf({ name, size, contentType }: FileMark, source: File): LocalFile<File> {
  return { name, size, contentType, source };
}

/** A file of a folder may be picked by itself the second time. */
function lastSegment(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

async function sampleOf(file: File): Promise<string> {
  const last = Math.max(0, file.size - SAMPLE_BYTES);
  const starts = Array.from({ length: SAMPLES }, (_, n) => Math.floor((last * n) / (SAMPLES - 1)));
  const samples = new Blob([...new Set(starts)].map((start) => file.slice(start, start + SAMPLE_BYTES)));
  return toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', await samples.arrayBuffer())));
}
