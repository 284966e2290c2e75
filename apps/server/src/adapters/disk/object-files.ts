// Where the disk store keeps the two files of an object, and how a backup reads them beside a running server.
import { type FileHandle, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { asFailure } from '@furoshiki/api';
import type { ObjectFiles, StoredFile } from '../../ports/backup.ts';
import { errorCodeOf } from './file-io.ts';
import { parseJournal, readJournal } from './part-journal.ts';

/** The format of our ids. Other entries in the folder, such as `lost+found`, are ignored. */
export const KEY = /^[\w-]{22}$/u;
export const KEY_PREFIX = /^[\w-]{2}$/u;
const BLOCK_BYTES = 1024 * 1024;

/** Below the folder of the store. Two characters of the key spread the objects over 4,096 folders. */
export function pathsOf(key: string): { folder: string; data: string; journal: string } {
  const folder = `${key.slice(0, 2)}/${key}`;
  return { folder, data: `${folder}/data`, journal: `${folder}/parts` };
}

export function objectFiles(root: string): ObjectFiles {
  return {
    async open(key, storedSize) {
      const paths = pathsOf(key);
      const opened: FileHandle[] = [];
      const close = async () => {
        for (const file of opened) await file.close();
      };
      try {
        for (const path of [paths.data, paths.journal]) opened.push(await open(join(root, path)));
        const [data, journal] = opened as [FileHandle, FileHandle];
        const files = await Promise.all([storedFile(paths.data, data), storedFile(paths.journal, journal)]);
        const { completed } = parseJournal(await journalText(journal));
        if (completed && files[0].size === storedSize) return { files, close };
        await close();
        return 'damaged';
      } catch (error) {
        await close();
        if (errorCodeOf(error) === 'ENOENT') return 'gone';
        throw error;
      }
    },

    keyOf(path) {
      const [prefix = '', key = '', name = '', ...rest] = path.split('/');
      const isOurs = KEY.test(key) && key.startsWith(prefix) && prefix.length === 2 && rest.length === 0;
      return isOurs && (name === 'data' || name === 'parts') ? key : undefined;
    },

    async isWhole(key, storedSize) {
      const { data, journal } = pathsOf(key);
      try {
        const { completed } = await readJournal(join(root, journal));
        return completed && (await stat(join(root, data))).size === storedSize;
      } catch (error) {
        if (asFailure(error).code === 'NOT_FOUND' || errorCodeOf(error) === 'ENOENT') return false;
        throw error;
      }
    },
  };
}

async function storedFile(path: string, file: FileHandle): Promise<StoredFile> {
  const { size } = await file.stat();
  return { path, size, read: () => readAll(file, size) };
}

/** A new buffer for each block, because the archive may still be writing the last one. */
async function* readAll(file: FileHandle, size: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < size; ) {
    // No larger than needed: small files would otherwise take as long as large ones.
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, size - position));
    const { bytesRead } = await file.read(block, 0, block.length, position);
    if (bytesRead === 0) throw new Error('the file is shorter than it was');
    position += bytesRead;
    yield block.subarray(0, bytesRead);
  }
}

async function journalText(file: FileHandle): Promise<string> {
  const { size } = await file.stat();
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0);
  return buffer.toString('utf8', 0, bytesRead);
}
