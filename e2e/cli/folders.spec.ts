// Folders that travel as one archive: there and back, to a browser, and through interruptions.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CliUser } from '../support/cli.ts';
import { downloadFile, openPage, pageFiles, startDownload } from '../support/user-actions.ts';
import { expect, test as base } from '../support/test.ts';

const test = base.extend<{ user: CliUser }>({
  user: async ({ server }, provide) => {
    const user = await CliUser.create(server.url);
    await provide(user);
    await user.discard();
  },
});

function fill(user: CliUser): void {
  mkdirSync(user.path('photos/in'), { recursive: true });
  mkdirSync(user.path('photos/nothing'));
  writeFileSync(user.path('photos/.gitignore'), 'node_modules');
  writeFileSync(user.path('photos/in/empty'), '');
  writeFileSync(user.path('photos/in/run'), '#!/bin/sh\n');
  chmodSync(user.path('photos/in/run'), 0o755);
  symlinkSync('../.gitignore', user.path('photos/in/link'));
  symlinkSync('/etc/passwd', user.path('photos/in/outside'));
  utimesSync(user.path('photos/in'), 1, 1_600_000_000);
}

const namesIn = (path: string) => readdirSync(path, { recursive: true, encoding: 'utf8' }).toSorted();

test('a folder comes back with what is empty, modes, times and links', { tag: '@backends' }, async ({
  server,
  user,
}) => {
  fill(user);
  const sent = await user.run(['send', 'photos', '--json']);
  expect([sent.exitCode, sent.stderr.split('\n').slice(0, 2)]).toEqual([
    0,
    [
      'Left out: photos/in/outside (symbolic link that leads out of the folder)',
      '“photos” will be sent as one folder with 3 files. It can only be downloaded as a whole.',
    ],
  ]);
  const { link, key } = JSON.parse(sent.stdout.toString()) as { link: string; key: string };
  expect(await pageFiles(server.url, link)).toHaveLength(1);
  const shown = await user.run(['info', link, '--key', key]);
  expect(shown.stdout.toString()).toContain('1. photos.tar (folder with 3 files, ');

  // Without a terminal, there is no question.
  const without = await user.run(['receive', link, '-o', 'without'], { input: key });
  expect([without.exitCode, without.stderr]).toEqual([
    0,
    `Left out: photos/in/link (symbolic link)\nSaved: ${user.path('without/photos')}\n`,
  ]);
  const expected = ['.gitignore', 'in', 'in/empty', 'in/link', 'in/run', 'nothing'];
  expect(namesIn(user.path('without/photos'))).toEqual(expected.filter((name) => name !== 'in/link'));
  expect(lstatSync(user.path('without/photos/in/run')).mode & 0o100).toBe(0o100);
  expect(lstatSync(user.path('without/photos/in')).mtimeMs).toBe(1_600_000_000_000);

  const again = await user.run(['receive', link, '-o', 'without', '--force'], { input: key });
  expect([again.exitCode, again.stderr]).toEqual([1, expect.stringContaining('folders aren’t replaced')]);
  const all = await user.run(['receive', link, '--links', '--as', 'trip'], { input: key });
  expect([all.exitCode, all.stderr]).toEqual([0, `Saved: ${user.path('trip')}\n`]);
  expect(namesIn(user.path('trip'))).toEqual(expected);
  expect(readlinkSync(user.path('trip/in/link'))).toBe('../.gitignore');
  // Nothing was spent for the refused one, and nothing is left of the archive.
  expect((await pageFiles(server.url, link))[0]?.currentDownloads).toBe(2);
  expect(readdirSync(user.folder).toSorted()).toEqual(['.home', 'photos', 'trip', 'without']);
});

test('a browser lists a folder of 150 files, and saves it as a ZIP or file by file', { tag: '@backends' }, async ({
  page,
  user,
}) => {
  fill(user);
  for (let number = 1; number <= 146; number += 1)
    writeFileSync(user.path('photos/in', `${number}.jpg`), randomBytes(number * 100));
  // Too large for memory: the browser stages it.
  writeFileSync(user.path('photos/large.bin'), randomBytes(26 * 1024 * 1024));
  const share = await user.send(['photos', '--hide-names', '-q']);
  await openPage(page, share);
  await expect(page.getByText('Folder with 150 files (ZIP)')).toBeVisible();
  const zip = await downloadFile(page, 'photos');
  expect(zip.suggestedFilename()).toBe('photos.zip');
  mkdirSync(user.path('unzipped'));
  execFileSync('unzip', ['-q', await zip.path(), '-d', user.path('unzipped')]);
  const extracted = user.path('unzipped/photos');
  expect(namesIn(extracted)).toEqual(namesIn(user.path('photos')).filter((name) => !/link|outside/u.test(name)));
  for (const name of namesIn(extracted).filter((path) => lstatSync(join(extracted, path)).isFile()))
    expect(readFileSync(join(extracted, name)).equals(readFileSync(user.path('photos', name))), name).toBe(true);
  expect(lstatSync(join(extracted, 'in/run')).mode & 0o111).not.toBe(0);

  await expect(page.getByText('1 symbolic link was left out')).toContainText('photos/in/link');
  await page.getByText('Show what’s in it').click();
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Save /u }) });
  const row = (name: string) => page.getByRole('listitem').filter({ hasText: name }).last();
  await expect(row('in/1.jpg')).toContainText('100 B');
  await page.getByRole('button', { name: 'Show 50 more' }).click();
  // With the row of the folder.
  await expect(rows).toHaveCount(151);
  const single = await startDownload(page, 'Save in/146.jpg');
  expect(single.suggestedFilename()).toBe('146.jpg');
  expect(readFileSync(await single.path()).equals(readFileSync(user.path('photos/in/146.jpg')))).toBe(true);
});

test('a process that is killed while it receives a folder is continued', async ({ user }) => {
  mkdirSync(user.path('photos'));
  for (const name of ['a', 'b', 'c']) writeFileSync(user.path('photos', name), randomBytes(30 * 1024 * 1024));
  const share = await user.send(['photos', '--archive']);
  const running = user.start(['receive', share.link, '-o', 'in'], { input: share.key });
  await expect.poll(() => existsSync(user.path('in/photos.part'))).toBe(true);
  running.process.kill('SIGKILL');
  await running.ended;
  expect(existsSync(user.path('in/photos'))).toBe(false);
  const { exitCode } = await user.run(['receive', share.link, '-o', 'in'], { input: share.key });
  expect([exitCode, readdirSync(user.path('in'))]).toEqual([0, ['photos']]);
  for (const name of ['a', 'b', 'c'])
    expect(readFileSync(user.path('in/photos', name)).equals(readFileSync(user.path('photos', name)))).toBe(true);
});
