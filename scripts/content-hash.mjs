// Computes one hash over the names and contents of many files, to detect changes.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} root
 * @param {string} path relative to root, with forward slashes
 * @param {(path: string) => boolean} isSkipped
 * @returns {string[]} relative paths of the files at or below path; empty if it does not exist
 */
export function listFiles(root, path, isSkipped) {
  const stat = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stat || isSkipped(path)) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(join(root, path)).flatMap((name) => listFiles(root, `${path}/${name}`, isSkipped));
}

/**
 * @param {string} root
 * @param {string[]} paths
 * @param {(path: string) => boolean} isSkipped
 */
export function contentHash(root, paths, isSkipped) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => listFiles(root, path, isSkipped)).toSorted()) {
    const content = readFileSync(join(root, file));
    // Without the length, two files could have the same hash as one file that contains both.
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
