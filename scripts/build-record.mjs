// build.json, the record of a build: version, commit, and the SHA-256 of every other file.
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './content-hash.mjs';

/** @typedef {{ version: string, commit: string | null, files: Record<string, string> }} BuildRecord */

export const RECORD_NAME = 'build.json';

/** @param {string} dist */
const fileOf = (dist) => join(dist, RECORD_NAME);

/** @param {Buffer} bytes */
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/**
 * @param {string} dist
 * @returns {BuildRecord}
 */
export const readRecord = (dist) => JSON.parse(readFileSync(fileOf(dist), 'utf8'));

/**
 * Identifies a build: the SHA-256 of its record, which has the SHA-256 of everything else.
 * @param {string} dist
 */
export const fingerprintOf = (dist) => sha256(readFileSync(fileOf(dist)));

/**
 * The bytes depend on nothing but the arguments and the files: keys are sorted by code unit, not by locale.
 * @param {string} dist
 * @param {{ version: string, commit: string | null }} source
 * @returns {BuildRecord}
 */
export function recordOf(dist, { version, commit }) {
  const names = listFiles(dist, '.', (path) => path === `./${RECORD_NAME}`).map((path) => path.slice(2));
  const files = names.toSorted().map((name) => [name, sha256(readFileSync(join(dist, name)))]);
  return { version, commit, files: Object.fromEntries(files) };
}

/**
 * Replaces the record at once, because a running server may serve it.
 * @param {string} dist
 * @param {BuildRecord} record
 * @param {string} scratch a file on the same disk
 */
export function writeRecord(dist, record, scratch) {
  writeFileSync(scratch, `${JSON.stringify(record, null, 2)}\n`);
  renameSync(scratch, fileOf(dist));
}
