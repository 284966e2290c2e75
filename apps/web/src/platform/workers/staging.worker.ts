// Writes one file into the browser's private file system, with a checkpoint of the bytes that are synced.
import { Failure } from '@furoshiki/core';
import { browserCrypto } from '../device/browser-crypto.ts';
import { writeCheckpoint } from '../downloads/saving/staging-checkpoint.ts';
import { serveCalls } from './serve-calls.ts';
import type { StagingRequest } from './staging-request.ts';

interface OpenFile {
  file: FileSystemSyncAccessHandle;
  checkpoint: FileSystemSyncAccessHandle;
  identity: string;
  position: number;
}

let open: OpenFile | undefined;

serveCalls<StagingRequest, void>(self, async (request) => {
  try {
    switch (request.type) {
      case 'open': {
        const { identity, startsAt } = request;
        const file = await request.file.createSyncAccessHandle();
        // Bytes after the checkpoint may be incomplete.
        file.truncate(startsAt);
        const checkpoint = await request.checkpoint.createSyncAccessHandle();
        open = { file, checkpoint, identity, position: startsAt };
        return;
      }
      case 'write':
        write(opened(), request.bytes);
        browserCrypto.release(request.bytes.buffer);
        return;
      case 'close':
        opened().file.close();
        opened().checkpoint.close();
        return;
      default:
        request satisfies never;
    }
  } catch (cause) {
    // A full disk, a quota, a lost handle: in each case the file cannot be saved.
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
});

function write(target: OpenFile, bytes: Uint8Array<ArrayBuffer>): void {
  if (target.file.write(bytes, { at: target.position }) !== bytes.length) throw new Failure('SAVE_FAILED');
  target.position += bytes.length;
  // Sync the bytes before the checkpoint: after a crash it must not count bytes that are not there.
  target.file.flush();
  writeCheckpoint(target.checkpoint, { identity: target.identity, bytes: target.position });
}

function opened(): OpenFile {
  if (!open) throw new Failure('SAVE_FAILED');
  return open;
}
