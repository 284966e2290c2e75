// Checks the imports of the whole repository against the dependency rules, if it is run as a program.
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import config from '../.dependency-cruiser.mjs';
import { listFiles } from './content-hash.mjs';
import { ROOT } from './paths.mjs';

const FOLDERS = ['packages', 'apps', 'deploy', 'e2e', 'scripts', 'tools', 'bench'];

/** @param {string} path */
const isSkipped = (path) => /(^|\/)(node_modules|dist|planted|test-results)$/.test(path);

/**
 * @param {string} root of the repository, or of a folder with the same layout
 * @returns {string[]} paths relative to root
 */
function listSourceFiles(root) {
  const files = FOLDERS.flatMap((folder) => listFiles(root, folder, isSkipped));
  return files.filter((file) => /\.(m?ts|mjs|tsx)$/.test(file));
}

/**
 * Throws if dependency-cruiser skipped a file.
 * @param {string} root
 * @returns {Promise<{ fileCount: number, violations: import('dependency-cruiser').IViolation[] }>}
 */
export async function findViolations(root) {
  const files = listSourceFiles(root);
  const { output } = await cruise(files, { ...config.options, baseDir: root, ruleSet: config, validate: true });
  if (typeof output === 'string') throw new Error('dependency-cruiser returned text');

  // Without TypeScript's API it silently skips every .ts file and reports success.
  const seen = new Set(output.modules.map((module) => module.source));
  const skipped = files.filter((file) => !seen.has(file));
  if (files.length === 0 || skipped.length > 0) {
    throw new Error(`dependency-cruiser read ${seen.size} modules but skipped ${skipped.join(', ') || 'all'}`);
  }
  return { fileCount: files.length, violations: output.summary.violations };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { fileCount, violations } = await findViolations(ROOT);
  for (const { rule, from, to } of violations) {
    const comment = config.forbidden?.find(({ name }) => name === rule.name)?.comment;
    console.error(`${rule.name}: ${from} → ${to}\n  ${comment}`);
  }
  console.log(`${violations.length} violations in ${fileCount} files`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}
