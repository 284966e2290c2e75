// npm run sbom [-- <file>]: writes the bill of materials of what production runs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.mjs';
import { billOfMaterials } from './bill-of-materials.mjs';

const file = process.argv[2] ?? 'sbom.cdx.json';
const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
writeFileSync(file, `${JSON.stringify(billOfMaterials(lockfile), null, 2)}\n`);
console.log(`Wrote ${file}`);
