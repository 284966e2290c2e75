// The hash of every English text of screens, command line client and pages. packages/texts/reviewed.json has those that the
// translations were last compared with: a test fails for an English text that has changed since.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './paths.mjs';

const TEXTS = join(ROOT, 'packages/texts/src');
const PAGES = join(ROOT, 'apps/web/content/en');
export const REVIEWED = join(ROOT, 'packages/texts/reviewed.json');

/** @typedef {Record<string, string>} Texts */

const hashOf = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex').slice(0, 8);
const readJson = (/** @type {string} */ path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * @param {unknown} value
 * @param {string} name
 * @returns {[string, string][]}
 */
function leavesOf(value, name) {
  if (typeof value === 'string') return [[name, value]];
  return Object.entries(/** @type {object} */ (value)).flatMap(([key, inner]) => leavesOf(inner, `${name}.${key}`));
}

/**
 * A paragraph is named by its own hash, so that a new one does not rename those after it.
 * @returns {[string, string][]}
 */
function paragraphs() {
  return readdirSync(PAGES).flatMap((file) =>
    readFileSync(join(PAGES, file), 'utf8')
      .split(/\n+/u)
      // The width of a table's columns is not a change.
      .map((line) => line.replaceAll(/ +/gu, ' ').replaceAll(/-{3,}/gu, '-'))
      .filter(Boolean)
      .map((text) => /** @type {[string, string]} */ ([`${file} ${hashOf(text)}`, text])),
  );
}

/** @returns {Texts} the English texts by their names */
export function englishTexts() {
  const screens = leavesOf(readJson(join(TEXTS, 'en.json')), 'screens');
  const cli = leavesOf(readJson(join(TEXTS, 'cli/en.json')), 'cli');
  return Object.fromEntries([...screens, ...cli, ...paragraphs()]);
}

/**
 * @param {Texts} texts
 * @returns {Texts}
 */
export function hashesOf(texts) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, hashOf(text)]));
}

/**
 * The texts that are new, gone or changed since their translations were looked at.
 * @param {Texts} texts
 * @param {Texts} reviewed
 */
export function unreviewed(texts, reviewed) {
  const hashes = hashesOf(texts);
  return [...new Set([...Object.keys(hashes), ...Object.keys(reviewed)])]
    .filter((name) => hashes[name] !== reviewed[name])
    .map((name) => `${name}: ${texts[name] ?? 'removed'}`);
}
