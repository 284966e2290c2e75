// Whatever `send` accepts, `receive` opens: names, title, message and bytes, and folders with all that is in them.
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_NOTE_LENGTH } from '@furoshiki/format';
import { nameToSend } from '@furoshiki/transfer';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRig } from '../../../../packages/transfer/testing/rigs.ts';
import { type FakeSite, startFakeSite } from '../../testing/fake-site.ts';
import { runClient } from '../../testing/run-client.ts';
import { digestOf } from '../platform/state/folders.ts';

/** `npm run test:long` sets it. */
const IS_LONG = process.env['LONG_TESTS'] !== undefined;
const RUNS = IS_LONG ? 2000 : 12;

const root = mkdtempSync(join(tmpdir(), 'furoshiki-send-receive-'));
let site: FakeSite;
/** Its chunks are not tiny, so that a folder has few of them. */
let largeSite: FakeSite;
beforeAll(async () => {
  [site, largeSite] = await Promise.all([
    startFakeSite(createRig({}).server),
    startFakeSite(createRig({ chunkSize: 100_000 }).server),
  ]);
});
afterAll(async () => {
  await Promise.all([site.close(), largeSite.close()]);
  rmSync(root, { recursive: true });
});

/** Around the limits, and with characters that take several bytes, escapes, or half of a pair. */
const note = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc
    .tuple(fc.constantFrom('a', 'é', '猫', '😀', '\u0001', '\u202E', '"', '\ud800'), fc.integer({ min: -2, max: 2 }))
    .map(([unit, more]) => unit.repeat((MAX_NOTE_LENGTH + more) / unit.length)),
);
const onDisk = (name: string) =>
  !/[/\0]/u.test(name) && name !== '.' && name !== '..' && Buffer.byteLength(name) <= 255 && name.isWellFormed();
const diskName = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
    fc.tuple(fc.constantFrom('a', 'é', '猫'), fc.integer({ min: 250, max: 255 })).map(([unit, bytes]) => {
      return unit.repeat(bytes / Buffer.byteLength(unit));
    }),
    fc.constantFrom('CON', 'a.', ' a ', '.hidden', '-rf', 'a:b', 'a\\b', 'file-1', 'A.txt', 'a.txt'),
  )
  .filter(onDisk);

it(`${RUNS} sends are refused before a byte is sent, or arrive as they were`, async () => {
  let [accepted, refused, count] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(diskName, { minLength: 1, maxLength: 3 }),
      note,
      note,
      fc.boolean(),
      async (names, title, message, hides) => {
        const folder = join(root, String((count += 1)));
        mkdirSync(join(folder, 'out'), { recursive: true });
        for (const [index, name] of names.entries()) writeFileSync(join(folder, 'out', name), `${index} ${name}`);
        const sent = await runClient(root, [
          'send',
          join(folder, 'out'),
          `--title=${title}`,
          `--message=${message}`,
          ...(hides ? ['--hide-names'] : []),
          '--server',
          site.url,
        ]);
        const isRefused = sent.exitCode === 2 && sent.stderr.includes('The title and the message can have');
        expect([isRefused, sent.exitCode]).toEqual([isRefused, isRefused ? 2 : 0]);
        if (isRefused) {
          refused += 1;
          return;
        }
        accepted += 1;
        const [link = '', key = ''] = sent.stdout.split('\n');
        const shown = await runClient(root, ['info', link, '--key', key, '-q', '--json']);
        expect(shown.exitCode).toBe(0);
        expect(JSON.parse(shown.stdout)).toMatchObject({ missing: 0, files: names.map(() => ({})) });
        const wished = { title: title.trim() || undefined, message: message.trim() || undefined };
        const { title: gotTitle, message: gotMessage } = JSON.parse(shown.stdout);
        expect({ title: gotTitle, message: gotMessage }).toEqual(wished);
        const into = join(folder, 'in');
        const received = await runClient(root, ['receive', link, '-o', into, '-q'], { input: key });
        expect([received.exitCode, received.stderr]).toEqual([0, '']);
        const contents = readdirSync(into, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
        expect(contents.toSorted()).toEqual(names.map((name, index) => `${index} ${name}`).toSorted());
        rmSync(folder, { recursive: true });
      },
    ),
    {
      numRuns: RUNS,
      // The same cases in every short run, and others in each long one.
      ...(!IS_LONG && { seed: 1 }),
      examples: [
        [['a.txt'], 'a title', 'a message', false],
        [['a.txt'], 'x'.repeat(MAX_NOTE_LENGTH + 1), '', false],
      ],
    },
  );
  expect(Math.min(accepted, refused)).toBeGreaterThan(0);
});

const inFolder = fc.record({
  kind: fc.constantFrom('file', 'file', 'folder', 'link'),
  name: diskName.filter((name) => nameToSend(name) === name && Buffer.byteLength(name) <= 250),
  isDeep: fc.boolean(),
  size: fc.constantFrom(0, 1, 511, 512, 513, 40_000, 300_000),
  mode: fc.constantFrom(0o600, 0o644, 0o755, 0o444, 0o500, 0o640),
  modifiedAt: fc.integer({ min: -1_000_000, max: 5_000_000_000 }),
  target: fc.constantFrom('deep', 'nothing', './deep/..', '../other', '/etc/passwd', 'deep/../deep'),
});

function contentOf(path: string): Record<string, unknown> {
  const names = ['.', ...readdirSync(path, { recursive: true, encoding: 'utf8' })].toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const facts = lstatSync(join(path, name));
      if (facts.isSymbolicLink()) return [name, readlinkSync(join(path, name))];
      const text = facts.isFile() ? digestOf(readFileSync(join(path, name), 'latin1')) : undefined;
      return [name, { mode: facts.mode & 0o7777, modifiedAt: Math.floor(facts.mtimeMs / 1000), text }];
    }),
  );
}

it(`${RUNS} folders come back as they were, except for what send and receive say`, async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(inFolder, { selector: ({ name }) => name, maxLength: 8 }),
      fc.boolean(),
      fc.boolean(),
      async (entries, hides, wantsLinks) => {
        const folder = join(root, `folder-${(count += 1)}`);
        const out = join(folder, 'out');
        mkdirSync(join(out, 'deep'), { recursive: true });
        for (const { kind, name, isDeep, size, mode, modifiedAt, target } of entries) {
          const path = join(out, isDeep ? 'deep' : '', name);
          if (kind === 'link') symlinkSync(target, path);
          else {
            if (kind === 'folder') mkdirSync(path);
            else writeFileSync(path, 'x'.repeat(size));
            chmodSync(path, kind === 'folder' ? mode | 0o700 : mode);
            utimesSync(path, 1, modifiedAt);
          }
        }
        const options = ['--archive', '--json', ...(hides ? ['--hide-names'] : []), '--server', largeSite.url];
        const sent = await runClient(root, ['send', out, ...options]);
        expect(sent.exitCode).toBe(0);
        const { link, key } = JSON.parse(sent.stdout) as { link: string; key: string };
        const receiving = ['receive', link, '-o', join(folder, 'in'), ...(wantsLinks ? ['--links'] : [])];
        const received = await runClient(root, receiving, { input: key });
        expect([received.exitCode, received.stderr.includes('furoshiki:')]).toEqual([0, false]);
        const [before, after] = [contentOf(out), contentOf(join(folder, 'in', 'out'))];
        const lost = Object.keys(before).filter((name) => !(name in after));
        for (const name of lost) {
          expect(typeof before[name]).toBe('string');
          expect(sent.stderr + received.stderr).toContain(name);
          delete before[name];
        }
        expect(after).toEqual(before);
        rmSync(folder, { recursive: true });
      },
    ),
    { numRuns: RUNS, ...(!IS_LONG && { seed: 2 }) },
  );
});
