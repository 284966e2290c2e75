// Repeats one call with wrk.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SECONDS = '2';
const CONNECTIONS = '32';

export interface Load {
  perSecond: number;
  p99: string;
}

/** `script` is Lua that describes the request for wrk. */
export async function load(url: string, script: string): Promise<Load> {
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-wrk-'));
  const path = join(folder, 'request.lua');
  writeFileSync(path, script);
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '--latency', '-s', path, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  rmSync(folder, { recursive: true });
  const refused = /Non-2xx or 3xx responses: (\d+)/u.exec(stdout)?.[1];
  if (refused !== undefined) throw new Error(`${url} refused ${refused} requests`);
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/u.exec(stdout)?.[1]),
    p99: /^\s+99%\s+(\S+)/mu.exec(stdout)?.[1] ?? '?',
  };
}
