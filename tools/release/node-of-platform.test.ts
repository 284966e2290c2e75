// A release contains the Node of other platforms, which npm does not install here: their archives are checked by hand.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { copyNode } from './node-of-platform.mjs';

const OTHER_PLATFORM = process.arch === 'x64' ? 'linux-arm64' : 'linux-x64';
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-other-node-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('refuses an archive of Node that does not have the hash of the lockfile', () => {
  mkdirSync(join(folder, 'package', 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package', 'bin', 'node'), 'another program');
  const archive = join(folder, 'node.tgz');
  execFileSync('tar', ['-czf', archive, '-C', folder, 'package']);
  // Stands in for `npm pack`, as a registry that sends other bytes.
  const npm = `#!/bin/sh
for argument; do case "$argument" in --pack-destination=*) cp '${archive}' "\${argument#*=}"; esac; done
echo node.tgz
`;
  writeFileSync(join(folder, 'npm'), npm, { mode: 0o700 });
  vi.stubEnv('PATH', folder + delimiter + process.env['PATH']);
  expect(() => copyNode(OTHER_PLATFORM, join(folder, 'copied'))).toThrowError('does not have the locked hash');
  expect(existsSync(join(folder, 'copied'))).toBe(false);
});

it('refuses a platform that the lockfile does not have', () => {
  expect(() => copyNode('linux-s390x', join(folder, 'copied'))).toThrowError('there is no Node for linux-s390x');
});
