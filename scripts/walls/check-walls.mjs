// Checks the repository against its walls.
import config from '../../.dependency-cruiser.mjs';
import { ROOT } from '../paths.mjs';
import { cruiseWalls } from './cruise.mjs';

const { fileCount, violations } = await cruiseWalls(ROOT);
for (const { rule, from, to } of violations) {
  const comment = config.forbidden?.find(({ name }) => name === rule.name)?.comment;
  console.error(`${rule.name}: ${from} → ${to}\n  ${comment}`);
}
console.log(`${violations.length} violations in ${fileCount} files`);
process.exitCode = violations.length > 0 ? 1 : 0;
