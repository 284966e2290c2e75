// SHA256SUMS, as sha256sum writes it, and its detached signature.
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const SUMS_NAME = 'SHA256SUMS';
export const SIGNATURE_NAME = `${SUMS_NAME}.sig`;

/**
 * @param {string} folder
 * @param {string[]} names
 */
export function writeSums(folder, names) {
  const lines = names.toSorted().map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, name)));
    return `${hash.digest('hex')}  ${name}\n`;
  });
  writeFileSync(join(folder, SUMS_NAME), lines.join(''));
}

/** @param {string} file */
export function readSigningKey(file) {
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is not an Ed25519 key`);
  return key;
}

/**
 * @param {string} folder
 * @param {import('node:crypto').KeyObject} key
 */
export function signSums(folder, key) {
  writeFileSync(join(folder, SIGNATURE_NAME), sign(null, readFileSync(join(folder, SUMS_NAME)), key));
}
