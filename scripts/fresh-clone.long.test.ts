// What a stranger does first, with the oldest npm that people have.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { npmFolder } from './npm-folder.mjs';
import { BIN, ROOT } from './paths.mjs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-clone-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

// The clone has what is committed, and nothing that this folder has besides.
it('a fresh clone starts with npm 10, and a file is sent and received', () => {
  const run = (program: string, ...args: string[]) => {
    const PATH = [npmFolder('10.8.2'), ...(process.env['PATH'] ?? '').split(delimiter).filter((name) => name !== BIN)];
    const env = { ...process.env, PATH: PATH.join(delimiter) };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.anything()]);
    return stdout;
  };
  run('git', '-c', 'safe.directory=*', 'clone', '--quiet', ROOT, 'clone');
  expect(run('node', 'clone/scripts/try.mjs', 'clone', 'clone')).toMatch(
    /^served after .* s, sent and received after/mu,
  );
}, 900_000);
