// Writes one file into the browser's private disk space, and marks how far it is safely there.
import { Failure } from '@furoshiki/core';
import { browserCrypto } from '../device/browser-crypto.ts';
import { writeMark } from '../downloads/saving/staging-checkpoint.ts';
import { serveCalls } from './serve-calls.ts';
import type { StagingRequest } from './staging-request.ts';

interface OpenFile {
  file: FileSystemSyncAccessHandle;
  mark: FileSystemSyncAccessHandle;
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
        // What is behind the mark was never known to be whole.
        file.truncate(startsAt);
        open = { file, mark: await request.mark.createSyncAccessHandle(), identity, position: startsAt };
        return;
      }
      case 'write':
        write(opened(), request.bytes);
        browserCrypto.release(request.bytes.buffer);
        return;
      case 'close':
        opened().file.close();
        opened().mark.close();
        return;
      default:
        request satisfies never;
    }
  } catch (cause) {
    // A full disk, a quota, a handle taken away: whatever the reason, the file could not be saved.
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
});

function write(target: OpenFile, bytes: Uint8Array<ArrayBuffer>): void {
  if (target.file.write(bytes, { at: target.position }) !== bytes.length) throw new Failure('SAVE_FAILED');
  target.position += bytes.length;
  // The mark follows the bytes: after a crash of the machine it never tells of any that are not there.
  target.file.flush();
  writeMark(target.mark, { identity: target.identity, bytes: target.position });
}

function opened(): OpenFile {
  if (!open) throw new Failure('SAVE_FAILED');
  return open;
}
