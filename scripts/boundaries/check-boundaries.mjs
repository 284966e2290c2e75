// Checks the imports of the whole repository against the dependency rules.
import config from '../../.dependency-cruiser.mjs';
import { ROOT } from '../paths.mjs';
import { findViolations } from './cruise.mjs';

const { fileCount, violations } = await findViolations(ROOT);
for (const { rule, from, to } of violations) {
  const comment = config.forbidden?.find(({ name }) => name === rule.name)?.comment;
  console.error(`${rule.name}: ${from} → ${to}\n  ${comment}`);
}
console.log(`${violations.length} violations in ${fileCount} files`);
process.exitCode = violations.length > 0 ? 1 : 0;
