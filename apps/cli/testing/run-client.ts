// Runs the command line client in this process, over streams instead of a terminal.
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { run } from '../src/run.ts';
import type { Streams } from '../src/terminal/terminal.ts';

export interface Given {
  /** What is piped in. */
  input?: string;
  /** What a user types at a terminal, line by line. */
  typed?: string;
  /** Standard output is a terminal, too. */
  showsOutput?: boolean;
  environment?: NodeJS.ProcessEnv;
}

/** `home`: the folder for settings and state. */
export async function runClient(
  home: string,
  args: string[],
  { input = '', typed, showsOutput = false, environment = {} }: Given = {},
) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  if (typed !== undefined) for (const stream of [streams.stdin, streams.stderr]) Object.assign(stream, { isTTY: true });
  if (showsOutput) Object.assign(streams.stdout, { isTTY: true });
  streams.stdin.end(typed === undefined ? input : `${typed}\r`);
  const [stdout, stderr] = [buffer(streams.stdout), text(streams.stderr)];
  const exitCode = await run({
    args,
    streams: streams as unknown as Streams,
    environment: {
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CONFIG_HOME: join(home, 'config'),
      NO_COLOR: '1',
      ...environment,
    },
    onStop: () => {},
  });
  streams.stdout.end();
  streams.stderr.end();
  const bytes = await stdout;
  return { exitCode, stdout: bytes.toString(), bytes, stderr: await stderr };
}
