// What the built web app says about itself: version, commit and the hash of every file.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRelease, type Release } from '@furoshiki/site';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

export interface BuiltRelease extends Release {
  /** The SHA-256 of build.json. */
  fingerprint: string;
}

/** Returns undefined in development, where there is no build, and if build.json is damaged. */
export async function readRelease(webRoot: string): Promise<BuiltRelease | undefined> {
  try {
    const bytes = await readFile(join(webRoot, 'build.json'));
    return { ...parseRelease(bytes.toString()), fingerprint: sha256(bytes) };
  } catch {
    return undefined;
  }
}

/** Returns the files that are missing, or are not those that were built. */
export async function changedFiles(webRoot: string, { files }: Release): Promise<string[]> {
  const changed: string[] = [];
  for (const [file, hash] of Object.entries(files)) {
    const bytes = await readFile(join(webRoot, file)).catch(() => undefined);
    if (!bytes || sha256(bytes) !== hash) changed.push(file);
  }
  return changed;
}
