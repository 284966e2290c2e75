// The single executables of all platforms, made on this one. That for Linux on ARM runs in an emulator.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../apps/server/testing/process.ts';
import { ensureBuilt } from '../../scripts/ensure-built.mjs';
import { findProgram, installDebianPackages } from '../../scripts/ensure-programs.mjs';
import { CLIENT_PLATFORMS } from './node-of-platform.mjs';
import { wrongPages } from './testing/mac-signature.ts';
import { makeRelease } from './testing/make-release.ts';

const EMULATOR = 'qemu-aarch64-static';
const LIBRARIES = '/usr/aarch64-linux-gnu';
const isMissing = () => !findProgram(EMULATOR) || !existsSync(join(LIBRARIES, 'lib', 'libatomic.so.1'));
const packages = ['qemu-user-static', 'libc6-arm64-cross', 'libstdc++6-arm64-cross', 'libatomic1-arm64-cross'];
const reason = isMissing() ? installDebianPackages(packages) : undefined;

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
/** The folder in the archive of a platform. */
const clientOf = (platform: string) => readdirSync(folder).find((name) => name.endsWith(`-${platform}`)) ?? '';

beforeAll(() => {
  ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-platforms-'));
  makeRelease(at('out'), { umask: '022', platforms: [], clientPlatforms: CLIENT_PLATFORMS });
  for (const name of readdirSync(at('out')).filter((archive) => /^furoshiki-cli-.*-\w+-\w+\.tar\.gz$/u.test(archive)))
    execFileSync('tar', ['-xzf', at('out', name), '-C', folder]);
  // It fetches and compresses the Node of every platform.
}, 900_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(reason !== undefined)('the executable for Linux on ARM', () => {
  const start = (args: string[], environment: Record<string, string> = {}): ChildProcess =>
    spawn(EMULATOR, ['-L', LIBRARIES, at(clientOf('linux-arm64'), 'furoshiki'), ...args], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  async function run(args: string[], environment: Record<string, string>, input = ''): Promise<string> {
    const child = start(args, environment);
    let output = '';
    child.stdout?.on('data', (text: Buffer) => (output += String(text)));
    child.stdin?.end(input);
    expect(await once(child, 'close')).toEqual([0, null]);
    return output;
  }

  it('is the server, and sends and receives with it', async () => {
    const port = String(await freePort());
    const server = start(['serve'], { PORT: port, DATA_DIR: at('data') });
    const closed = once(server, 'close');
    await Promise.race([once(server.stdout as NonNullable<typeof server.stdout>, 'data'), closed]);
    const environment = { FUROSHIKI_SERVER: `http://127.0.0.1:${port}` };
    writeFileSync(at('a.txt'), 'from ARM');
    const [link = '', key = ''] = (await run(['send', 'a.txt', '-q'], environment)).split('\n');
    expect(await run(['receive', link, '-o', '-'], environment, key)).toBe('from ARM');
    server.kill('SIGTERM');
    await closed;
  });
});

it('the executable for macOS has the signature without which ARM starts nothing', () => {
  const program = readFileSync(at(clientOf('darwin-arm64'), 'furoshiki'));
  expect(wrongPages(program)).toEqual([]);
});

it('the executable for Windows has what Windows starts, and our program', () => {
  const program = readFileSync(at(clientOf('win-x64'), 'furoshiki.exe'));
  const headerAt = program.readUInt32LE(0x3c);
  expect([program.toString('latin1', 0, 2), program.toString('latin1', headerAt, headerAt + 2)]).toEqual(['MZ', 'PE']);
  expect(program.includes('furoshiki serve')).toBe(true);
});
