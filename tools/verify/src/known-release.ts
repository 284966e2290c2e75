// The files of a release: those that this client was packed with, or those of a build of a clone.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { shownName } from '@furoshiki/format';
import { parseRelease, type Release } from '@furoshiki/site';

export interface KnownRelease extends Release {
  /** The SHA-256 of build.json. */
  fingerprint: string;
}

const PACKED_NAME = 'release.json';
/** `npm run cli:pack` puts it beside the bundle. In a clone it does not exist. */
const PACKED = fileURLToPath(new URL(PACKED_NAME, import.meta.url));
const OWN_CLONE = fileURLToPath(new URL('../../..', import.meta.url));
const MAX_OUTPUT_LENGTH = 4000;

/** Why there is no release to compare with. */
export class ReleaseError extends Error {
  readonly reason: 'noRelease' | 'notAClone' | 'buildFailed';
  /** For the message: the folder, and the end of what its build has printed. */
  readonly details: Record<string, string>;

  constructor(reason: ReleaseError['reason'], details: Record<string, string> = {}) {
    super(reason);
    this.reason = reason;
    this.details = details;
  }
}

export async function ownRelease(signal: AbortSignal): Promise<KnownRelease> {
  // A file beside a single executable is not of its release.
  const packed = isSea() ? releaseIn(Buffer.from(getRawAsset(PACKED_NAME))) : await readRelease(PACKED);
  if (packed) return packed;
  if (!existsSync(buildScriptOf(OWN_CLONE))) throw new ReleaseError('noRelease');
  return builtRelease(OWN_CLONE, signal);
}

export function assertClone(folder: string): void {
  if (!existsSync(buildScriptOf(folder))) throw new ReleaseError('notAClone', { name: folder });
}

/** Runs the build of a clone, which does nothing if it is up to date. */
export async function builtRelease(clone: string, signal: AbortSignal): Promise<KnownRelease> {
  const child = spawn(isSea() ? 'node' : process.execPath, [buildScriptOf(clone)], {
    cwd: clone,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output = (output + String(text)).slice(-MAX_OUTPUT_LENGTH)));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const release = await readRelease(join(clone, 'apps', 'web', 'dist', 'build.json'));
  if (exitCode !== 0 || !release) throw new ReleaseError('buildFailed', { name: clone, output: shown(output) });
  return release;
}

const buildScriptOf = (clone: string) => join(clone, 'scripts', 'build.mjs');

/** Returns undefined if there is no such file, or if it is not the list of a release. */
async function readRelease(file: string): Promise<KnownRelease | undefined> {
  try {
    return releaseIn(await readFile(file));
  } catch {
    return undefined;
  }
}

function releaseIn(bytes: Buffer): KnownRelease {
  return { ...parseRelease(bytes.toString()), fingerprint: createHash('sha256').update(bytes).digest('hex') };
}

const shown = (output: string) => output.trim().split('\n').map(shownName).join('\n');
