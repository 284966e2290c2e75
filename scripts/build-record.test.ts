// What a build says about itself, and where it takes its commit from.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { recordOf, sourceCommit, writeRecord } from './build-record.mjs';
import { isIgnoredByBuild } from './ensure-built.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'furoshiki-record-'));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true });
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

it('lists every file except itself, by code unit', () => {
  for (const name of ['b.js', 'assets/a.js', 'Z.js', 'assets.css', 'build.json']) write(name, name);
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  writeRecord(root, recordOf(root, { version: '1.2.3', commit: null }), join(root, 'scratch'));
  expect(readFileSync(join(root, 'build.json'), 'utf8')).toBe(`{
  "version": "1.2.3",
  "commit": null,
  "files": {
    "Z.js": "${sha256('Z.js')}",
    "assets.css": "${sha256('assets.css')}",
    "assets/a.js": "${sha256('assets/a.js')}",
    "b.js": "${sha256('b.js')}"
  }
}
`);
});

describe('the commit', () => {
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: root, encoding: 'utf8' });
    expect(stderr + String(status)).toBe('0');
    return stdout.trim();
  };
  const commit = () => sourceCommit(root, ['apps/web', 'packages'], isIgnoredByBuild);

  it('of a folder that is no clone is what FUROSHIKI_COMMIT says', () => {
    expect(commit()).toBeUndefined();
    vi.stubEnv('FUROSHIKI_COMMIT', 'a'.repeat(40));
    expect(commit()).toBe('a'.repeat(40));
    vi.stubEnv('FUROSHIKI_COMMIT', 'main');
    expect(commit).toThrow('40 hex digits');
  });

  describe('of a clone', () => {
    let head: string;
    beforeEach(() => {
      write('apps/web/src/main.tsx', 'main');
      write('apps/server/main.ts', 'server');
      write('.gitignore', 'dist/\n*.log\n');
      git('init', '--quiet');
      git('add', '.');
      git('commit', '--quiet', '--message=first');
      head = git('rev-parse', 'HEAD');
      vi.stubEnv('FUROSHIKI_COMMIT', 'a'.repeat(40));
    });

    it.each([
      ['nothing', []],
      ['a file that is no input', ['apps/server/main.ts', 'docs/page.md']],
      [
        'a test, and what is built',
        ['apps/web/src/a.test.ts', 'packages/transfer/testing/fake.ts', 'apps/web/dist/a.js'],
      ],
    ])('is HEAD if it differs in %s', (_, paths) => {
      for (const path of paths) write(path, 'other');
      expect(commit()).toBe(head);
    });

    it.each([
      ['a changed input', 'apps/web/src/main.tsx'],
      ['a new input', 'packages/format/src/a file.ts'],
      ['an input that git ignores', 'apps/web/public/a.log'],
    ])('is null with %s', (_, path) => {
      write(path, 'other');
      expect(commit()).toBeNull();
    });

    it('is null if a change is staged', () => {
      write('apps/web/src/main.tsx', 'other');
      git('add', '.');
      expect(commit()).toBeNull();
    });
  });
});
