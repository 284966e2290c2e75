// Lists the source files of a repository, or of a folder with the same layout.
import { listFiles } from '../content-hash.mjs';

const FOLDERS = ['packages', 'apps', 'tools', 'deploy', 'e2e', 'scripts', 'bench'];

/** @param {string} path */
const isSkipped = (path) => /(^|\/)(node_modules|dist|planted|test-results)$/.test(path);

/**
 * @param {string} root
 * @returns {string[]} paths relative to root
 */
export function listSourceFiles(root) {
  const files = FOLDERS.flatMap((folder) => listFiles(root, folder, isSkipped));
  return files.filter((file) => /\.(m?ts|mjs|tsx)$/.test(file));
}
