// The program. The version is shown, and the server started, without loading everything else, which takes ten times as long.
import { isSea } from 'node:sea';
import { VERSION } from './args/command-table.ts';

const [command, ...words] = process.argv.slice(2);

if (command === '--version') process.stdout.write(`furoshiki ${VERSION}\n`);
else if (command === 'serve' && words.length === 0 && isSea())
  (await import('./own-server.ts')).runOwnServer(process.env);
else await import('./client-process.ts');
