// The program. The version is shown without loading everything else, which takes ten times as long.
import { VERSION } from './args/command-table.ts';

if (process.argv[2] === '--version') process.stdout.write(`furoshiki ${VERSION}\n`);
else await import('./client-process.ts');
