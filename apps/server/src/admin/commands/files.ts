// stats, take-down, sweep: what is stored, and its deletion.
import { Failure } from '@furoshiki/api';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { FILES_PER_ROUND } from '../../jobs/sweeper.ts';
import { sweep as sweepOnce, takeDown as takeDownFiles } from '../../services/deletion.ts';
import { takeOver } from '../../services/store-ownership.ts';
import { type Command, CommandError } from '../command.ts';

/** stats: what is stored right now. */
export const stats: Command = {
  argument: '',
  about: 'what is stored, and how much room is left',
  async run({ config, clock, openObjects, openMetadata }) {
    const { objects } = await openObjects();
    const metadata = await openMetadata();
    const { storedBytes, liveFiles, openUploads, doomedFiles } = await metadata.tally();
    const liveGrants = await metadata.countGrants(clock.nowMs());
    const maxStoredBytes = config.MAX_STORED_BYTES ?? null;
    const free = await objects.free();
    const freeDiskBytes = free.bytes ?? null;
    const freeInodes = free.inodes?.free ?? null;
    return {
      lines: [
        `live files: ${liveFiles}`,
        `uploads under way: ${openUploads}`,
        `doomed files: ${doomedFiles}`,
        `live grants: ${liveGrants}`,
        `stored: ${formatBytes(storedBytes, 'en')}`,
        `quota: ${maxStoredBytes === null ? 'none' : formatBytes(maxStoredBytes, 'en')}`,
        `free disk: ${freeDiskBytes === null ? 'unknown' : formatBytes(freeDiskBytes, 'en')}`,
        `free inodes: ${freeInodes ?? 'unknown'}`,
      ],
      // Scripts of operators read these names.
      json: {
        storedBytes,
        liveFiles,
        uploadsUnderWay: openUploads,
        doomedFiles,
        liveGrants,
        maxStoredBytes,
        freeDiskBytes,
        freeInodes,
      },
    };
  },
};

/** take-down: deletes a page or a file at once, while the server runs. */
export const takeDown: Command = {
  argument: '<page id | file id | link>',
  about: 'deletes all files of a page, or one file, at once',
  async run({ clock, openObjects, openMetadata }, argument) {
    const id = idIn(argument);
    if (id === undefined) throw new CommandError('neither an id nor a link with one');
    const [metadata, { objects }] = [await openMetadata(), await openObjects()];
    const { kind, files } = await takeDownFiles({ metadata, objects, clock }, id).catch((cause: unknown) => {
      if (!(cause instanceof Failure && cause.code === 'NOT_FOUND')) throw cause;
      throw new CommandError('nothing is there: it never existed, has expired or was deleted before', { cause });
    });
    return {
      lines: [
        `${kind}: ${id}`,
        `files deleted: ${files.length}`,
        ...files.map((file) => `deleted: ${file.id} (${formatBytes(file.fileSize, 'en')})`),
      ],
      json: { kind, id, files },
    };
  },
};

/** Returns the id itself, or the last id in the path of a link. The fragment of a link holds the key and is ignored. */
function idIn(text: string): string | undefined {
  const path = URL.canParse(text) ? new URL(text).pathname : text;
  return path
    .split('/')
    .toReversed()
    .find((segment) => /^[\w-]{22}$/u.test(segment));
}

/** claim: makes this database the one that the store belongs to. */
export const claim: Command = {
  argument: '',
  about: 'makes this database the owner of the store, after a restore',
  async run({ clock, openObjects, openMetadata }) {
    const { objects, storeName } = await openObjects();
    const { keepUnknownUntilMs } = await takeOver({ metadata: await openMetadata(), objects, clock });
    const until = new Date(keepUnknownUntilMs).toISOString();
    return {
      lines: [
        `claimed: ${storeName}`,
        'servers of any other database, or of another copy of this one, no longer start on it: stop those that run',
        `files that this database does not know are kept until ${until}`,
      ],
      json: { store: storeName, keepUnknownUntil: until },
    };
  },
};

/** sweep: one round of the sweeper, now. */
export const sweep: Command = {
  argument: '',
  about: 'clears away what has run out: one round, now',
  async run({ clock, openObjects, openMetadata }) {
    const { objects } = await openObjects();
    const removed = await sweepOnce({ metadata: await openMetadata(), objects, clock }, FILES_PER_ROUND);
    const isMoreWaiting = removed === FILES_PER_ROUND;
    return {
      lines: [`removed: ${removed}`, ...(isMoreWaiting ? ['more is waiting: sweep again'] : [])],
      json: { removed, isMoreWaiting },
    };
  },
};
