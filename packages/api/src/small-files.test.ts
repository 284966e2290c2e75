import { describe, expect, it } from 'vitest';
import { Failure } from './errors.ts';
import { createFrameReader, frameStart, type FrameHead, LAST_FRAME, type ReceivedFrame } from './small-files.ts';

const FILES = [
  { id: 'one', length: 40 },
  { id: 'two', length: 29 },
  { id: 'three', length: 40 },
];
const bytesOf = (index: number) => new Uint8Array(FILES[index]?.length ?? 0).fill(index + 1);
const granted = (id: string | undefined): FrameHead => ({
  id: id ?? '',
  status: 200,
  body: { requiresDecryptionConfirmation: true },
});
const joined = (...pieces: Uint8Array[]) => new Uint8Array(pieces.flatMap((piece) => [...piece]));
const frame = (index: number, bytes = bytesOf(index), head = granted(FILES[index]?.id), length = bytes.length) =>
  joined(frameStart(head, length), bytes);
const WHOLE = joined(frame(0), frame(1), frame(2), LAST_FRAME);

function read(response: Uint8Array, pieceLength = response.length): ReceivedFrame[] {
  const frames: ReceivedFrame[] = [];
  const reader = createFrameReader(FILES, (one) => frames.push(one));
  for (let start = 0; start < response.length; start += pieceLength)
    reader.push(response.subarray(start, start + pieceLength));
  reader.end();
  return frames;
}

/** Returns the failure, and the files that were complete before it. */
function refusal(response: Uint8Array): { code: unknown; before: number[] } {
  const before: number[] = [];
  const reader = createFrameReader(FILES, ({ index }) => before.push(index));
  try {
    reader.push(response);
    reader.end();
  } catch (error) {
    return { code: (error as Failure).code, before };
  }
  return { code: undefined, before };
}

describe('a response with small files', () => {
  it.each([WHOLE.length, 1, 7, 8, 9, 64])('is read in pieces of %i bytes', (pieceLength) => {
    expect(read(WHOLE, pieceLength)).toEqual(
      FILES.map((_, index) => ({ index, bytes: bytesOf(index), requiresDecryptionConfirmation: true })),
    );
  });

  it('may say of a file that it has an error', () => {
    const error = { errorCode: 'RATE_LIMITED', error: 'later', message: 'later' };
    const refused = frameStart({ id: 'two', status: 429, retryAfterSeconds: 7, body: error }, 0);
    const [first, second, third] = read(joined(frame(0), refused, frame(2), LAST_FRAME));
    expect([first, third]).toMatchObject([{ index: 0 }, { index: 2 }]);
    expect(second).toMatchObject({
      index: 1,
      failure: { code: 'RATE_LIMITED', details: { status: 429, retryAfterSeconds: 7 } },
    });
  });

  it.each<[string, Uint8Array, number[]]>([
    ['is empty', joined(), []],
    ['ends within a prefix', WHOLE.subarray(0, 5), []],
    ['ends within a head', WHOLE.subarray(0, 20), []],
    ['ends within a file', WHOLE.subarray(0, -LAST_FRAME.length - 1), [0, 1]],
    ['ends after a file', joined(frame(0), frame(1)), [0, 1]],
    ['ends without the last frame', WHOLE.subarray(0, -LAST_FRAME.length), [0, 1, 2]],
    ['ends within the last frame', WHOLE.subarray(0, -1), [0, 1, 2]],
    ['says too early that it ends', joined(frame(0), LAST_FRAME), [0]],
    ['goes on after its end', joined(WHOLE, new Uint8Array(1)), [0, 1, 2]],
    ['has a file that was not requested', joined(frame(0), frame(1), frame(2), frame(2), LAST_FRAME), [0, 1, 2]],
    ['has the files in another order', joined(frame(1), frame(0), frame(2), LAST_FRAME), []],
    ['has two files of one length in another order', joined(frame(2), frame(1), frame(0), LAST_FRAME), []],
    ['has the bytes of one file under the id of another', joined(frame(0, bytesOf(1)), frame(1), frame(2)), []],
    ['leaves out a file', joined(frame(0), frame(2), LAST_FRAME), [0]],
    ['has a file twice', joined(frame(0), frame(0), frame(1), frame(2), LAST_FRAME), [0]],
    ['has a file with a byte more', joined(frame(0, new Uint8Array(41)), frame(1)), []],
    ['has a file with a byte less', joined(frame(0, new Uint8Array(39)), frame(1)), []],
    ['has a file without its bytes', joined(frame(0, new Uint8Array(0)), frame(1)), []],
    ['announces a file of 4 GB', frame(0, bytesOf(0), granted('one'), 0xff_ff_ff_ff), []],
    ['announces a head of 4 GB', new Uint8Array(8).fill(0xff), []],
    ['has a head that is no JSON', joined(new Uint8Array([0, 0, 0, 1, 0, 0, 0, 40]), bytesOf(0), bytesOf(0)), []],
    [
      'has a head that is no object',
      joined(new Uint8Array([0, 0, 0, 4, 0, 0, 0, 0]), new TextEncoder().encode('null')),
      [],
    ],
    ['has no head', joined(new Uint8Array([0, 0, 0, 0, 0, 0, 0, 40]), bytesOf(0)), []],
    ['has an error with bytes', frame(0, bytesOf(0), { ...granted('one'), status: 404 }), []],
    ['has a status that is neither', frame(0, new Uint8Array(0), { ...granted('one'), status: 302 }), []],
    ['has no status', frame(0, bytesOf(0), { id: 'one', body: {} } as unknown as FrameHead), []],
    ['has a grant without its fields', frame(0, bytesOf(0), { ...granted('one'), body: null }), []],
    ['is a page of a proxy', new TextEncoder().encode('<!doctype html><title>Bad gateway</title>'), []],
  ])('is refused as a broken connection if it %s', (_, response, before) => {
    expect(refusal(response)).toEqual({ code: 'NETWORK', before });
  });

  it('takes no memory for a file before its length is known to be right', () => {
    const reader = createFrameReader([{ id: 'one', length: 40 }], () => {});
    expect(() => reader.push(frameStart(granted('one'), 1e9))).toThrow(Failure);
  });
});

it('writes no head that a client would refuse', () => {
  expect(() => frameStart({ id: 'one', status: 400, body: 'x'.repeat(4096) }, 0)).toThrow('too long');
});
