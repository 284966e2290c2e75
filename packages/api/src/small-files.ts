// The call that gives many small files in one response, and the format of that response: a frame for each file.
import { MB } from '@furoshiki/format';
import { Failure } from './errors.ts';
import { failureOfResponse } from './essentials.ts';

/** Below /api. */
export const SMALL_FILES_PATH = '/batch/download';

/** All in bytes as they are stored. */
export const SMALL_FILES = { maxFiles: 256, maxFileBytes: MB, maxBytes: 8 * MB } as const;

/** Length of the head and length of the bytes of the file, both in 4 bytes, big-endian. Both are 0 after the last file. */
export const FRAME_PREFIX_BYTES = 8;
const MAX_HEAD_BYTES = 4096;

/** JSON. What the call of a single file would have had as its response. */
export interface FrameHead {
  id: string;
  status: number;
  retryAfterSeconds?: number | undefined;
  /** An error, or what a client must know of the grant. The bytes of the file come after the head. */
  body: unknown;
}

export interface GrantedHead extends FrameHead {
  status: 200;
  body: { requiresDecryptionConfirmation: boolean };
}

/** Returns what comes before the bytes of a file. */
export function frameStart(head: FrameHead, length: number): Uint8Array<ArrayBuffer> {
  const json = new TextEncoder().encode(JSON.stringify(head));
  if (json.length > MAX_HEAD_BYTES) throw new Error('the head of a frame is too long');
  const start = new Uint8Array(FRAME_PREFIX_BYTES + json.length);
  const prefix = new DataView(start.buffer);
  prefix.setUint32(0, json.length);
  prefix.setUint32(4, length);
  start.set(json, FRAME_PREFIX_BYTES);
  return start;
}

/** Without it, a response that was cut between two frames would look complete. */
export const LAST_FRAME = new Uint8Array(FRAME_PREFIX_BYTES);

export interface ExpectedFile {
  id: string;
  /** As it is stored. */
  length: number;
}

/** `index` is that of the file in the request. */
export type ReceivedFrame =
  | { index: number; bytes: Uint8Array<ArrayBuffer>; requiresDecryptionConfirmation: boolean }
  | { index: number; failure: Failure };

export interface FrameReader {
  /** Takes the next bytes of the response. */
  push(piece: Uint8Array): void;
  /** Must be called when the response has ended. */
  end(): void;
}

/**
 * The one function that reads such a response. Calls `onFrame` for each complete frame. Throws NETWORK if anything is not as it must
 * be: another order, another length, a broken head, too few bytes or too many. The frames before that stay valid, because
 * each file is authenticated separately.
 */
export function createFrameReader(
  expected: readonly ExpectedFile[],
  onFrame: (frame: ReceivedFrame) => void,
): FrameReader {
  let index = 0;
  let state: 'prefix' | 'head' | 'bytes' | 'ended' = 'prefix';
  let target = new Uint8Array(FRAME_PREFIX_BYTES);
  let filled = 0;
  let bytesLength = 0;
  let requiresDecryptionConfirmation = false;

  function expect(next: typeof state, length: number): void {
    state = next;
    target = new Uint8Array(length);
    filled = 0;
  }

  function next(frame: ReceivedFrame): void {
    index += 1;
    expect('prefix', FRAME_PREFIX_BYTES);
    onFrame(frame);
  }

  function readPrefix(): void {
    const prefix = new DataView(target.buffer);
    const headLength = prefix.getUint32(0);
    bytesLength = prefix.getUint32(4);
    const file = expected[index];
    if (headLength === 0) {
      if (file || bytesLength > 0) throw malformed();
      state = 'ended';
      return;
    }
    // Checked before memory is taken for it.
    if (!file || headLength > MAX_HEAD_BYTES) throw malformed();
    expect('head', headLength);
  }

  function readHead(): void {
    const { id, status, retryAfterSeconds, body } = parsed(target);
    const file = expected[index];
    if (!file || id !== file.id || typeof status !== 'number') throw malformed();
    if (status === 200) {
      if (bytesLength !== file.length) throw malformed();
      ({ requiresDecryptionConfirmation } = grantOf(body));
      expect('bytes', bytesLength);
      return;
    }
    if (status < 400 || status > 599 || bytesLength > 0) throw malformed();
    const { code, details } = failureOfResponse(status, body);
    const waiting = typeof retryAfterSeconds === 'number' ? { retryAfterSeconds } : {};
    next({ index, failure: new Failure(code, { ...details, ...waiting }) });
  }

  function readFilled(): void {
    if (state === 'prefix') readPrefix();
    else if (state === 'head') readHead();
    else next({ index, bytes: target, requiresDecryptionConfirmation });
  }

  return {
    push(piece) {
      for (let read = 0; read < piece.length; ) {
        if (state === 'ended') throw malformed();
        const taken = piece.subarray(read, read + target.length - filled);
        target.set(taken, filled);
        filled += taken.length;
        read += taken.length;
        if (filled === target.length) readFilled();
      }
    },
    end() {
      if (state !== 'ended') throw malformed();
    },
  };
}

/** As a broken connection, which is what it is most often: worth a retry. */
const malformed = () => new Failure('NETWORK');

function parsed(head: Uint8Array): Partial<Record<keyof FrameHead, unknown>> {
  try {
    const json: unknown = JSON.parse(new TextDecoder().decode(head));
    if (typeof json === 'object' && json !== null) return json;
  } catch {
    // Below.
  }
  throw malformed();
}

function grantOf(body: unknown): GrantedHead['body'] {
  const { requiresDecryptionConfirmation } = (body ?? {}) as Partial<GrantedHead['body']>;
  if (typeof requiresDecryptionConfirmation !== 'boolean') throw malformed();
  return { requiresDecryptionConfirmation };
}
