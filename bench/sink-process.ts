// Runs the sink, the bare server that uploads and downloads are compared with, as a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Sink {
  url: string;
  pid: number;
  stop(): void;
}

export async function startSink(): Promise<Sink> {
  const sink = spawn(process.execPath, [fileURLToPath(new URL('sink.ts', import.meta.url))]);
  const [line] = (await once(sink.stdout, 'data')) as [Buffer];
  return { url: String(line).trim(), pid: sink.pid ?? 0, stop: () => sink.kill() };
}
