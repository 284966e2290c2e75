// The archive of a backup: a plain tar with the layout of the data folder, and the SHA-256 of every entry at its end.
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createTarDecoder, createTarPacker, type ParsedTarEntry } from 'modern-tar';
import * as z from 'zod/mini';

/** The first entry. It says what the rest is, before anything is unpacked. */
const HEADER = 'furoshiki-backup.json';
/** The last entry, which `sha256sum --check` reads. An archive without it is cut off. */
const SUMS = 'SHA256SUMS';
/** Raised if an archive can no longer be restored by the versions before. */
const FORMAT = 1;
const MAX_HEADER_BYTES = 65_536;

const headerSchema = z.object({
  format: z.number(),
  version: z.string(),
  createdAt: z.string(),
  schema: z.array(z.string()),
});

export interface ArchiveHeader extends Omit<z.infer<typeof headerSchema>, 'format'> {}

/** What is wrong with a backup or a restore, in one line for the operator. */
export class BackupError extends Error {}

export type Content = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
export type AddEntry = (path: string, size: number, content: Content) => Promise<void>;

/**
 * `fill` adds the entries one after the other, while `write` gets the bytes of the archive. `sumsFile` is a new file for the
 * list until the end: kept in memory, it would grow with the number of files.
 */
export async function writeArchive(
  header: ArchiveHeader,
  sumsFile: string,
  write: (archive: AsyncIterable<Uint8Array>) => Promise<void>,
  fill: (add: AddEntry) => Promise<void>,
): Promise<void> {
  const { readable, controller } = createTarPacker();
  const sums = await open(sumsFile, 'wx+', 0o600);
  const mtime = new Date(header.createdAt);

  async function add(path: string, size: number, content: Content): Promise<void> {
    const body = controller.add({ name: path, size, mode: 0o600, mtime, uid: 0, gid: 0 }).getWriter();
    const hash = createHash('sha256');
    for await (const block of content) {
      hash.update(block);
      await body.write(block);
    }
    await body.close();
    if (path !== SUMS) await sums.appendFile(lineOf(hash.digest('hex'), path));
  }

  async function addAll(): Promise<void> {
    const text = Buffer.from(`${JSON.stringify({ format: FORMAT, ...header }, null, 2)}\n`);
    await add(HEADER, text.length, [text]);
    await fill(add);
    const { size } = await sums.stat();
    await add(SUMS, size, sums.createReadStream({ start: 0, autoClose: false }));
    controller.finalize();
  }

  // Its error is awaited below.
  const writing = write(readable);
  writing.catch(() => undefined);
  try {
    await addAll();
  } catch (error) {
    controller.error(error);
    // If the disk is full, adding fails only because writing has.
    await writing;
    throw error;
  } finally {
    await sums.close();
  }
  await writing;
}

const lineOf = (hash: string, path: string): string => `${hash}  ${path}\n`;

export interface ArchiveReader {
  /** Called first. It may throw, to refuse the archive. */
  onHeader(header: ArchiveHeader): Promise<void>;
  /** Called for every other entry, in order. It must read the whole content. */
  onEntry(path: string, content: AsyncIterable<Uint8Array>): Promise<void>;
}

/**
 * Throws a BackupError if this is no archive of ours, or not the one that was written. What was read may not be used then. Errors
 * of the source must be BackupErrors too.
 */
export async function readArchive(
  source: ReadableStream<Uint8Array>,
  { onHeader, onEntry }: ArchiveReader,
  signal: AbortSignal,
): Promise<void> {
  const stopped = new AbortController();
  // Without the signal, the rest of the source would be read into memory after a failure.
  const entries = source.pipeThrough(createTarDecoder({ strict: true }), {
    signal: AbortSignal.any([signal, stopped.signal]),
  });
  const list = createHash('sha256');
  let state: 'begin' | 'entries' | 'end' = 'begin';
  try {
    for await (const { header, body } of orDamaged(entries, signal)) {
      if (header.type !== 'file') throw new BackupError('it has a link or a folder, which no backup has');
      if (state === 'end') throw new BackupError('it has more than a backup has');
      if ((state === 'begin') !== (header.name === HEADER)) throw foreign();
      const content = hashed(orDamaged(body, signal));
      if (state === 'begin') {
        await onHeader(await parseHeader(header.size, content));
        state = 'entries';
      } else if (header.name === SUMS) {
        await drain(content);
        if (content.digest() !== list.digest('hex')) throw new BackupError('it was changed after it was written');
        state = 'end';
        continue;
      } else await onEntry(header.name, content);
      list.update(lineOf(content.digest(), header.name));
    }
    if (state === 'begin') throw foreign();
    if (state !== 'end') throw new BackupError('it is cut off');
  } finally {
    stopped.abort();
  }
}

const foreign = () => new BackupError('it is no backup of Furoshiki');

async function parseHeader(size: number, content: AsyncIterable<Uint8Array>): Promise<ArchiveHeader> {
  if (size > MAX_HEADER_BYTES) throw foreign();
  const blocks: Uint8Array[] = [];
  for await (const block of content) blocks.push(block);
  const parsed = z.safeParse(headerSchema, parseJson(Buffer.concat(blocks).toString()));
  if (!parsed.success) throw foreign();
  if (parsed.data.format > FORMAT) throw new BackupError(`it is from a newer version, ${parsed.data.version}`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function drain(content: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of content);
}

/** Passes the blocks on. `digest` is called after the last one. */
function hashed(blocks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> & { digest(): string } {
  const hash = createHash('sha256');
  let result: string | undefined;
  return {
    async *[Symbol.asyncIterator]() {
      for await (const block of blocks) {
        hash.update(block);
        yield block;
      }
    },
    digest: () => (result ??= hash.digest('hex')),
  };
}

/** An error of the decoder is about the archive. */
async function* orDamaged<T extends ParsedTarEntry | Uint8Array>(
  stream: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  try {
    yield* stream;
  } catch (cause) {
    if (cause instanceof BackupError || signal.aborted) throw cause;
    throw new BackupError('it is cut off or damaged, or no backup of Furoshiki', { cause });
  }
}
