// Shared by the browser benchmarks: files, rates and a link with limited bandwidth.
import { execFileSync, spawn } from 'node:child_process';
import { createCipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export const MB = 1024 * 1024;
export const ROUNDS = 3;

export const nameOf = (bytes: number) => `${bytes / MB}.bin`;

/** Makes a file of random bytes, which cannot be compressed. */
export function makeFile(folder: string, bytes: number, name = nameOf(bytes)): string {
  const path = join(folder, name);
  const cipher = createCipheriv('aes-256-ctr', randomBytes(32), randomBytes(16));
  const zeros = Buffer.alloc(MB);
  const file = openSync(path, 'w');
  for (let done = 0; done < bytes; done += MB) writeSync(file, cipher.update(zeros.subarray(0, bytes - done)));
  closeSync(file);
  return path;
}

export const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
export const rate = (bytes: number, ms: number) => bytes / 1e6 / (ms / 1000);

/** Runs a benchmark in a network namespace with limited bandwidth, shared by server, browser and curl. */
async function shaped(script: string, part: string, bandwidth: string): Promise<void> {
  const name = `furoshiki-${process.pid}`;
  const inside = ['netns', 'exec', name];
  const run = (command: string) => execFileSync('ip', command.split(' '));
  run(`netns add ${name}`);
  try {
    run(`netns exec ${name} ip link set lo up`);
    run(`netns exec ${name} tc qdisc add dev lo root tbf rate ${bandwidth} burst 1mb latency 50ms`);
    const child = spawn('ip', [...inside, process.execPath, script, part], { stdio: 'inherit' });
    await once(child, 'exit');
  } finally {
    run(`netns del ${name}`);
  }
}

/** Runs the parts of a benchmark that the command line names, or all. */
export async function runParts<Run>(
  script: string,
  parts: Record<string, Run>,
  runPart: (run: Run) => Promise<void>,
): Promise<void> {
  const names = process.argv.slice(2);
  for (const name of names.length > 0 ? names : ['loopback', '1gbit', '100mbit', 'memory']) {
    if (name === '1gbit' || name === '100mbit') {
      await shaped(script, `inside-${name}`, name);
      continue;
    }
    const run = parts[name];
    if (run === undefined) throw new Error(`no such part: ${name}`);
    await runPart(run);
  }
}
