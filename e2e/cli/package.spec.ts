// The packed package, installed into an empty folder, under the pinned Node and under the one of the system.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { BIN, ROOT } from '../../scripts/paths.mjs';
import { expect, test } from '../support/test.ts';

/** The first Node on the path that is not the pinned one. */
function systemNode(): string {
  const folders = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== BIN && folder !== dirname(process.execPath));
  const found = [...folders, '/usr/bin', '/usr/local/bin']
    .map((folder) => join(folder, 'node'))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error('there is no other Node than the pinned one');
  return found;
}

test('send, receive and verify work from the package alone, on every Node from 20', async ({ server }) => {
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-package-'));
  try {
    const packed = execFileSync(process.execPath, [join(ROOT, 'tools/release/pack-cli.mjs')], {
      encoding: 'utf8',
    }).trim();
    writeFileSync(join(folder, 'package.json'), '{}');
    execFileSync('npm', ['install', '--offline', '--no-audit', '--loglevel=error', packed], { cwd: folder });
    const program = join(folder, 'node_modules', '.bin', 'furoshiki');
    expect(existsSync(join(folder, 'node_modules', 'furoshiki-cli', 'furoshiki.1'))).toBe(true);
    for (const node of [process.execPath, systemNode()]) {
      const env = { PATH: process.env['PATH'], HOME: folder, FUROSHIKI_SERVER: server.url };
      const run = (args: string[], input = '') =>
        execFileSync(node, [program, ...args], { cwd: folder, env, input, encoding: 'utf8' });
      expect(run(['--help'])).toContain('Usage: furoshiki <command>');
      expect(run(['verify', server.url])).toMatch(/^All \d+ files match Furoshiki /u);
      writeFileSync(join(folder, 'a.txt'), `from ${node}`);
      const [link = '', key = ''] = run(['send', 'a.txt', '--quiet']).split('\n');
      run(['receive', link, '-o', 'in', '--force', '--quiet'], key);
      expect(readFileSync(join(folder, 'in', 'a.txt'), 'utf8')).toBe(`from ${node}`);
      // Many files share signals. Node 20 took that for a leak.
      const many = Array.from({ length: 12 }, (_, index) => `${index}.txt`);
      for (const name of many) writeFileSync(join(folder, name), name);
      const sent = spawnSync(node, [program, 'send', ...many, '--quiet'], { cwd: folder, env, encoding: 'utf8' });
      const [manyLink = '', manyKey = ''] = sent.stdout.split('\n');
      const args = [program, 'receive', manyLink, '-o', 'many', '--force', '--quiet'];
      const received = spawnSync(node, args, { cwd: folder, env, input: manyKey, encoding: 'utf8' });
      expect([sent.stderr, received.stderr, received.status]).toEqual(['', '', 0]);
    }
    // Without the rest of the program, which would take longer to load.
    copyFileSync(realpathSync(program), join(folder, 'alone.mjs'));
    const alone = execFileSync(process.execPath, [join(folder, 'alone.mjs'), '--version'], { encoding: 'utf8' });
    expect(alone).toMatch(/^furoshiki \d+\.\d+\.\d+\n$/u);
    // Makes the first file read the version of an old Node.
    writeFileSync(join(folder, 'old.cjs'), "Object.defineProperty(process.versions, 'node', { value: '18.19.0' });");
    const old = spawnSync(process.execPath, ['-r', join(folder, 'old.cjs'), realpathSync(program)], {
      encoding: 'utf8',
    });
    expect([old.status, old.stderr]).toEqual([
      1,
      'furoshiki: This program needs Node 20.12 or newer. This is Node 18.19.0.\n',
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
