// Writes one file into the browser's private file system, encrypted, with a checkpoint of the bytes that are synced. When
// the file is complete, decrypts it there.
import { Failure } from '@furoshiki/api';
import { browserCrypto } from '../device/browser-crypto.ts';
import { applyKeystream, type FileToWrite, type StagingRequest, writeCheckpoint } from '../downloads/saving/staging.ts';
import { serveCalls } from './serve-calls.ts';

type Bytes = Uint8Array<ArrayBuffer>;

interface OpenFile extends Pick<FileToWrite, 'identity' | 'nonce' | 'key'> {
  file: FileSystemSyncAccessHandle;
  checkpoint: FileSystemSyncAccessHandle;
  position: number;
}

/** Chromium reuses the memory of blocks up to this size. Larger ones cost twice the processor time. */
const BLOCK_BYTES = 512 * 1024;
/** WebCrypto computes blocks in another thread, while this one writes. */
const BLOCKS_AT_ONCE = 3;

let open: OpenFile | undefined;

serveCalls<StagingRequest, void>(self, async (request) => {
  try {
    switch (request.type) {
      case 'open': {
        const { identity, nonce, key, startsAt } = request;
        const file = await request.file.createSyncAccessHandle();
        // Bytes after the checkpoint may be incomplete.
        file.truncate(startsAt);
        const checkpoint = await request.checkpoint.createSyncAccessHandle();
        open = { file, checkpoint, identity, nonce, key, position: startsAt };
        return;
      }
      case 'write':
        await write(opened(), request.bytes);
        browserCrypto.release(request.bytes.buffer);
        return;
      case 'decrypt':
        await decrypt(opened());
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

async function write(target: OpenFile, bytes: Bytes): Promise<void> {
  const { file, checkpoint, identity, nonce, position } = target;
  const end = position + bytes.length;
  await convert(target, position, end, (from, to) => bytes.subarray(from - position, to - position));
  // Only a file that can be resumed needs a checkpoint. Syncing takes longer than writing a small file.
  const isResumable = identity !== '';
  // Sync the bytes before the checkpoint: after a crash it must not count bytes that are not there.
  if (isResumable) file.flush();
  target.position = end;
  if (isResumable) writeCheckpoint(checkpoint, { identity, nonce, bytes: end });
}

async function decrypt(target: OpenFile): Promise<void> {
  const { file, checkpoint, position } = target;
  // From now on the file cannot be resumed: after a crash it is unknown which of its bytes are still encrypted.
  checkpoint.truncate(0);
  checkpoint.flush();
  const block = new Uint8Array(BLOCK_BYTES);
  await convert(target, 0, position, (from, to) => {
    const bytes = block.subarray(0, to - from);
    if (file.read(bytes, { at: from }) !== bytes.length) throw new Failure('SAVE_FAILED');
    return bytes;
  });
}

/** Writes what `read` returns, encrypted or decrypted. */
async function convert(
  { file, key }: OpenFile,
  begin: number,
  end: number,
  read: (from: number, to: number) => Bytes,
): Promise<void> {
  const endOfBlock = (at: number) => Math.min(at - (at % BLOCK_BYTES) + BLOCK_BYTES, end);
  const compute = (at: number) => applyKeystream(key, at, read(at, endOfBlock(at)));
  const computing: Promise<Bytes>[] = [];
  let position = begin;
  for (let next = begin; position < end; ) {
    for (; computing.length < BLOCKS_AT_ONCE && next < end; next = endOfBlock(next)) computing.push(compute(next));
    const bytes = await computing.shift();
    if (!bytes || file.write(bytes, { at: position }) !== bytes.length) throw new Failure('SAVE_FAILED');
    position += bytes.length;
    browserCrypto.release(bytes.buffer);
  }
}

function opened(): OpenFile {
  if (!open) throw new Failure('SAVE_FAILED');
  return open;
}
