// Runs dependency-cruiser with the repository's walls over a tree, and refuses a result that overlooked files.
import { cruise } from 'dependency-cruiser';
import config from '../../.dependency-cruiser.mjs';
import { listFiles } from '../content-hash.mjs';

const ROOMS = ['packages', 'apps', 'e2e', 'scripts'];

/** @param {string} path */
const isNoSource = (path) => /(^|\/)(node_modules|dist|planted|test-results)$/.test(path);

/**
 * @param {string} root
 * @returns {Promise<{ fileCount: number, violations: import('dependency-cruiser').IViolation[] }>}
 */
export async function cruiseWalls(root) {
  const files = ROOMS.flatMap((room) => listFiles(root, room, isNoSource)).filter((file) =>
    /\.(m?ts|mjs|tsx)$/.test(file),
  );
  const { output } = await cruise(files, { ...config.options, baseDir: root, ruleSet: config, validate: true });
  if (typeof output === 'string') throw new Error('dependency-cruiser answered with text');

  // Without TypeScript's API it silently skips every .ts file and reports success.
  const seen = new Set(output.modules.map((module) => module.source));
  const overlooked = files.filter((file) => !seen.has(file));
  if (files.length === 0 || overlooked.length > 0) {
    throw new Error(`dependency-cruiser saw ${seen.size} modules but overlooked ${overlooked.join(', ') || 'all'}`);
  }
  return { fileCount: files.length, violations: output.summary.violations };
}
