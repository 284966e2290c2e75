// backup, restore: everything that the server keeps in its data folder, as one file.
import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setFlagsFromString } from 'node:v8';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { BackupError } from '../../backup/archive.ts';
import { type BackupSummary, makeBackup } from '../../backup/make-backup.ts';
import { type WriteBlocks, writeNewFile } from '../../backup/new-file.ts';
import { restore as restoreFrom } from '../../backup/restore.ts';
import { inspectDataFolder } from '../../config/data-folder.ts';
import { reasonOf } from '../../diagnosis.ts';
import { type Command, CommandError, type Tools } from '../command.ts';

/** Instead of a file: stdout of a backup, stdin of a restore. */
const STREAM = '-';
const READ_BYTES = 1024 * 1024;

export const backup: Command = {
  argument: '<file>',
  about: 'writes database, files and secret to a new tar file, while the server runs; `-` is stdout',
  async run(tools, argument) {
    const { config, paths, clock, embedded, untilSignal } = tools;
    collectLess();
    assertEmbedded(tools, { postgres: 'pg_dump', sqlite: '`.backup` of sqlite3' });
    await inspectDataFolder(paths.root, true);
    if (!existsSync(paths.database))
      throw new CommandError(`there is no database in DATA_DIR ${paths.root}: is it the folder of the server?`);
    const isStream = argument === STREAM;
    if (isStream && process.stdout.isTTY) throw new CommandError('stdout is a terminal: redirect it to a file');
    const file = isStream ? 'stdout' : resolve(argument);
    const signal = untilSignal();
    const source = { ...embedded, paths, hasOwnSecret: config.SECRET === undefined, nowMs: clock.nowMs() };
    const beganMs = performance.now();
    const make = (write: WriteBlocks) => makeBackup(source, write, signal);
    const summary = isStream
      ? await make((blocks) => pipeline(blocks, process.stdout, { end: false }))
      : await writeNewFile(file, make);
    const seconds = secondsSince(beganMs);
    return {
      lines: [`${amount(summary, seconds)}: ${file}${notesOn(summary)}`],
      json: { file, ...summary, seconds },
      isBad: summary.lost > 0,
      isOnStderr: isStream,
    };
  },
};

export const restore: Command = {
  argument: '<file>',
  about: 'restores a backup into an empty DATA_DIR, while no server uses it; `-` is stdin',
  async run(tools, argument) {
    const { paths, embedded, untilSignal, config } = tools;
    collectLess();
    assertEmbedded(tools, { postgres: 'pg_restore', sqlite: '`.restore` of sqlite3' });
    const file = argument === STREAM ? 'stdin' : resolve(argument);
    let source: Readable | undefined;
    const open = () =>
      (source = argument === STREAM ? process.stdin : createReadStream(file, { highWaterMark: READ_BYTES }));
    const beganMs = performance.now();
    const { hasSecret, createdAt, ...summary } = await restoreFrom(
      { ...embedded, paths },
      readable(open),
      untilSignal(),
    )
      .catch((cause: unknown) => {
        if (!(cause instanceof BackupError)) throw cause;
        throw new CommandError(`${file} was not restored: ${cause.message}`, { cause });
      })
      // The process would wait for the end of stdin.
      .finally(() => source?.destroy());
    const seconds = secondsSince(beganMs);
    const note =
      hasSecret || config.SECRET !== undefined ? '' : '; it has no secret: set SECRET as when the backup was made';
    return {
      lines: [`${amount(summary, seconds)}: ${paths.root} is as it was at ${createdAt}${note}`],
      json: { folder: paths.root, ...summary, hasSecret, createdAt, seconds },
    };
  },
};

/** As in main.ts: the bytes pass through buffers outside of V8's heap, which would cause hundreds of garbage collections. */
function collectLess(): void {
  setFlagsFromString('--heap-growing-percent=400');
}

/** With a database or a bucket elsewhere, a copy of the data folder would be a part of the whole. */
function assertEmbedded({ config }: Tools, tools: { postgres: string; sqlite: string }): void {
  const { DATABASE_URL, S3_BUCKET } = config;
  const set = [
    ...(DATABASE_URL === undefined ? [] : ['DATABASE_URL']),
    ...(S3_BUCKET === undefined ? [] : ['S3_BUCKET']),
  ];
  if (set.length === 0) return;
  const forDatabase = DATABASE_URL === undefined ? tools.sqlite : tools.postgres;
  const forBytes = S3_BUCKET === undefined ? 'rsync for the files' : 'rclone for the bucket';
  throw new CommandError(
    `this is for SQLite and the disk only, and ${set.join(' and ')} ${set.length > 1 ? 'are' : 'is'} set: ` +
      `use ${forDatabase}, and ${forBytes} (docs/OPERATING.md, Backup and restore)`,
  );
}

const secondsSince = (beganMs: number) => Math.round(performance.now() - beganMs) / 1000;

const amount = ({ files, bytes }: { files: number; bytes: number }, seconds: number) =>
  `${count(files, 'file')}, ${formatBytes(bytes, 'en')}, in ${seconds.toFixed(1)} s`;

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

function notesOn({ openUploads, deleted, lost }: BackupSummary): string {
  const notes = [
    ...(openUploads > 0 ? [count(openUploads, 'upload') + ' under way'] : []),
    ...(deleted > 0 ? [count(deleted, 'file') + ' deleted meanwhile'] : []),
    ...(lost > 0 ? [count(lost, 'file') + ' whose bytes are missing or damaged'] : []),
  ];
  return notes.length === 0 ? '' : ` (left out: ${notes.join(', ')})`;
}

/** An error of reading becomes one that says what could not be read. */
function readable(open: () => AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      yield* open();
    } catch (cause) {
      throw new BackupError(`it cannot be read (${reasonOf(cause)})`, { cause });
    }
  }
  return ReadableStream.from(read());
}
