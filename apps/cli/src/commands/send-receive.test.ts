// Whatever `send` accepts, `receive` opens: names, title, message and bytes.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_NOTE_LENGTH } from '@furoshiki/format';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRig } from '../../../../packages/transfer/testing/rigs.ts';
import { type FakeSite, startFakeSite } from '../../testing/fake-site.ts';
import { runClient } from '../../testing/run-client.ts';

/** `npm run test:long` sets it. */
const IS_LONG = process.env['LONG_TESTS'] !== undefined;
const RUNS = IS_LONG ? 2000 : 12;

const root = mkdtempSync(join(tmpdir(), 'furoshiki-send-receive-'));
let site: FakeSite;
beforeAll(async () => {
  site = await startFakeSite(createRig({}).server);
});
afterAll(async () => {
  await site.close();
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
