// The single executables of other platforms, made on this one. Nothing here can run them, so they are read.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureBuilt } from '../../scripts/ensure-built.mjs';
import { wrongPages } from './testing/mac-signature.ts';
import { makeRelease } from './testing/make-release.ts';

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
/** The folder in the archive of a platform. */
const clientOf = (platform: string) => readdirSync(folder).find((name) => name.endsWith(`-${platform}`)) ?? '';

beforeAll(() => {
  ensureBuilt();
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-platforms-'));
  makeRelease(at('out'), { umask: '022', platforms: [], clientPlatforms: ['darwin-arm64', 'win-x64'] });
  for (const name of readdirSync(at('out')).filter((archive) => /^furoshiki-cli-.*-\w+-\w+\.tar\.gz$/u.test(archive)))
    execFileSync('tar', ['-xzf', at('out', name), '-C', folder]);
  // It fetches and compresses the Node of both.
}, 900_000);
afterAll(() => rmSync(folder, { recursive: true }));

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
