// Reads the archive of a folder away from the main thread: checks it, and computes the checksum of each file.
import { readFolderContents } from '@furoshiki/transfer';
import { serveCalls } from './serve-calls.ts';

serveCalls(self, readFolderContents);
