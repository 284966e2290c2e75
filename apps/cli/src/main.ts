// The process: standard streams, signals and the exit code.
import { setFlagsFromString } from 'node:v8';
import { EXIT } from './errors.ts';
import { run } from './run.ts';

// The bytes of files are in buffers outside of V8's heap. V8 compares them with the size of the heap, which is small here, and
// without this flag runs a full garbage collection dozens of times for each gigabyte.
setFlagsFromString('--heap-growing-percent=400');
// New objects, most of them small parts of a response, are collected more often: their buffers take more memory than they do.
setFlagsFromString('--semi-space-growth-factor=1');

let stop = (): void => process.exit(EXIT.cancelled);
let isStopping = false;

function onSignal(): void {
  if (isStopping) process.exit(EXIT.cancelled);
  isStopping = true;
  stop();
}
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// The reader of a pipe may end before us.
process.stdout.on('error', () => process.exit(EXIT.failed));

const exitCode = await run({
  args: process.argv.slice(2),
  streams: process,
  environment: process.env,
  onStop: (listener) => void (stop = listener),
});
// Connections that are kept for reuse would delay the end.
process.exitCode = exitCode;
process.stdout.write('', () => process.exit(exitCode));
