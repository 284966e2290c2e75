// Recognises the files of an interrupted upload by name, size, date and a hash of samples of their content.
import { KB, toBase64 } from '@furoshiki/format';
import type { LocalFile } from '@furoshiki/transfer';
import type { FileMatch, SelectedFile } from '../../services.ts';

export interface FileFingerprint {
  /** As it is encrypted and shown. */
  name: string;
  size: number;
  contentType: string;
  modifiedAtMs: number;
  /** SHA-256 of samples of the content, Base64. */
  sample: string;
}

const SAMPLE_BYTES = 64 * KB;
const SAMPLES = 9;

export async function fingerprintsOf(files: readonly SelectedFile[]): Promise<FileFingerprint[]> {
  const fingerprints: FileFingerprint[] = [];
  for (const file of files) fingerprints.push(await fingerprintOf(file));
  return fingerprints;
}

/** Reads about half a megabyte of any file: enough to detect another file, or one that was rewritten. */
async function fingerprintOf({ name, file }: SelectedFile): Promise<FileFingerprint> {
  const { size, type: contentType, lastModified: modifiedAtMs } = file;
  return { name, size, contentType, modifiedAtMs, sample: await sampleOf(file) };
}

/** Finds the files of an upload among those given. Those whose index is in `arrived` are complete and never read again. */
export async function matchFiles(
  fingerprints: readonly FileFingerprint[],
  arrived: ReadonlySet<number>,
  given: readonly SelectedFile[],
): Promise<FileMatch> {
  const match: FileMatch = { files: [], missing: [], changed: [] };
  const names = new Set(fingerprints.map(lastSegment));
  const known = new Set(fingerprints.map(identityOf));
  const found = new Map<string, File>();
  // Names of given files that match no fingerprint. A file with the same name in another folder of the upload does match.
  const unknownNames = new Set<string>();
  for (const named of given) {
    const name = lastSegment(named);
    if (!names.has(name)) continue;
    // An unreadable file counts as missing.
    const fingerprint = await fingerprintOf(named).catch(() => undefined);
    if (!fingerprint) continue;
    const identity = identityOf(fingerprint);
    if (known.has(identity)) found.set(identity, named.file);
    else unknownNames.add(name);
  }
  for (const [index, fingerprint] of fingerprints.entries()) {
    const file = arrived.has(index) ? new File([], fingerprint.name) : found.get(identityOf(fingerprint));
    if (file) match.files.push(localFileOf(fingerprint, file));
    else match[unknownNames.has(lastSegment(fingerprint)) ? 'changed' : 'missing'].push(fingerprint.name);
  }
  return match;
}

function localFileOf({ name, size, contentType, modifiedAtMs }: FileFingerprint, source: File): LocalFile<File> {
  return { name, size, contentType, modifiedAt: Math.floor(modifiedAtMs / 1000), source };
}

function identityOf(fingerprint: FileFingerprint): string {
  const { size, modifiedAtMs, sample } = fingerprint;
  return JSON.stringify([lastSegment(fingerprint), size, modifiedAtMs, sample]);
}

/** The user may choose a file of a folder by itself the second time. */
function lastSegment({ name }: { name: string }): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

async function sampleOf(file: File): Promise<string> {
  if (file.size <= SAMPLE_BYTES) return hashOf(file);
  const last = file.size - SAMPLE_BYTES;
  const starts = Array.from({ length: SAMPLES }, (_, n) => Math.floor((last * n) / (SAMPLES - 1)));
  return hashOf(new Blob([...new Set(starts)].map((start) => file.slice(start, start + SAMPLE_BYTES))));
}

async function hashOf(content: Blob): Promise<string> {
  return toBase64(new Uint8Array(await crypto.subtle.digest('SHA-256', await content.arrayBuffer())));
}
