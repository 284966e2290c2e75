// Runs dependency-cruiser with the dependency rules, and throws if it skipped a file.
import { cruise } from 'dependency-cruiser';
import config from '../../.dependency-cruiser.mjs';
import { listSourceFiles } from './source-files.mjs';

/**
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
