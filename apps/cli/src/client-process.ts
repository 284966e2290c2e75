// The process of a command: standard streams, signals and the exit code.
import { setMaxListeners } from 'node:events';
import { constants } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { EXIT } from './errors.ts';
import { run } from './run.ts';

// The bytes of files are in buffers outside of V8's heap. V8 compares them with the size of the heap, which is small here, and
// without this flag runs a full garbage collection dozens of times for each gigabyte.
setFlagsFromString('--heap-growing-percent=400');
// New objects, most of them small parts of a response, are collected more often: their buffers take more memory than they do.
setFlagsFromString('--semi-space-growth-factor=1');

// Errors are the usual case here, such as a file that is not there yet. No stack is ever shown, and each takes longer than the call.
Error.stackTraceLimit = 0;

// Many small files share one signal. Node would take that for a leak.
setMaxListeners(0);

/** As a shell reports it: 130 for Ctrl-C. */
let stoppedWith: number | undefined;
let stop = (): void => process.exit(stoppedWith);

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(name, () => {
    const isSecond = stoppedWith !== undefined;
    stoppedWith = 128 + constants.signals[name];
    if (isSecond) process.exit(stoppedWith);
    stop();
  });
// The reader of a pipe may end before us.
process.stdout.on('error', () => process.exit(EXIT.failed));

// Node 20 ends, without a word, if a connection breaks in a way that leaves nothing to wait for. A timeout then ends the call.
const staysAlive = setInterval(() => {}, 60_000);
const ended = await run({
  args: process.argv.slice(2),
  streams: process,
  environment: process.env,
  onStop: (listener) => void (stop = listener),
});
clearInterval(staysAlive);
const exitCode = ended === EXIT.cancelled ? (stoppedWith ?? ended) : ended;
// Connections that are kept for reuse would delay the end.
process.exitCode = exitCode;
process.stdout.write('', () => process.exit(exitCode));
