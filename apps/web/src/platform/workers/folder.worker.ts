// Reads the archive of a folder away from the main thread: checks it, and computes the checksum of each file.
import { type FolderContents, readFolderContents } from '@furoshiki/transfer';
import type { FolderToRead } from '../downloads/saving/saved-folders.ts';
import { serveCalls } from './serve-calls.ts';

serveCalls<FolderToRead, FolderContents>(self, ({ archive, facts }) =>
  readFolderContents(archive, archive.size, facts),
);
