// What the built web app says about itself: version, commit and the hash of every file.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseRelease, type Release } from '@furoshiki/core';

export interface BuiltRelease extends Release {
  /** The SHA-256 of build.json. */
  fingerprint: string;
}

/** Returns undefined in development, where there is no build. */
export async function readRelease(webRoot: string): Promise<BuiltRelease | undefined> {
  const text = await readFile(join(webRoot, 'build.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  return { ...parseRelease(text), fingerprint: createHash('sha256').update(text).digest('hex') };
}
