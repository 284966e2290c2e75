// Fetches, opens and writes the chunks of one file into the browser's private disk space, away from the main thread.
import { type CipherKey, Failure, type SealedFile } from '@furoshiki/core';
import { type PartSink, receiveChunk } from '@furoshiki/transfer';
import { browserCrypto } from '../browser-crypto.ts';
import { browserStorage } from '../browser-storage.ts';
import type { DownloadRequest } from './download-request.ts';
import { serveCalls } from './serve-calls.ts';

interface OpenFile {
  handle: FileSystemSyncAccessHandle;
  file: SealedFile;
  key: CipherKey;
}

let open: OpenFile | undefined;

serveCalls<DownloadRequest, void>(self, async (request, onProgress, signal) => {
  switch (request.type) {
    case 'open':
      open = {
        handle: await saving(() => request.staged.createSyncAccessHandle()),
        file: request.file,
        key: request.key,
      };
      return;
    case 'receive': {
      const { handle, file, key } = opened();
      const chunk = { file, key, index: request.index, url: request.url };
      await receiveChunk(
        { subtle: browserCrypto.subtle, storage: browserStorage },
        sinkOf(handle),
        chunk,
        onProgress,
        signal,
      );
      return;
    }
    case 'close': {
      const { handle } = opened();
      await saving(() => {
        handle.flush();
        handle.close();
      });
      return;
    }
    default:
      request satisfies never;
  }
});

function opened(): OpenFile {
  if (!open) throw new Failure('SAVE_FAILED');
  return open;
}

function sinkOf(handle: FileSystemSyncAccessHandle): PartSink {
  return {
    write: (offset, bytes) =>
      saving(() => {
        if (handle.write(bytes, { at: offset }) !== bytes.length) throw new Failure('SAVE_FAILED');
      }),
  };
}

/** A full disk, a quota, a handle taken away: whatever the reason, the file could not be saved. */
async function saving<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new Failure('SAVE_FAILED', {}, { cause });
  }
}
