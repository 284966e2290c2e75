// Reads type and size of a picture from its first bytes, before anything decodes it. The bytes are hostile: a few hundred of them
// can announce a picture that needs gigabytes. Where a decoder could use another size than the first one, the largest counts.

export interface PictureHeader {
  type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  width: number;
  height: number;
}

type Size = Pick<PictureHeader, 'width' | 'height'>;

/** Undefined if the bytes are no picture that we show, or if its size is not where it must be. */
export function readPictureHeader(bytes: Uint8Array): PictureHeader | undefined {
  for (const { type, starts, sizeOf } of FORMATS) {
    if (!starts(bytes)) continue;
    const size = sizeOf(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return size && size.width > 0 && size.height > 0 ? { type, ...size } : undefined;
  }
  return undefined;
}

interface Format {
  type: PictureHeader['type'];
  starts(bytes: Uint8Array): boolean;
  sizeOf(view: DataView): Size | undefined;
}

const FORMATS: readonly Format[] = [
  { type: 'image/png', starts: startsWith([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), sizeOf: sizeOfPng },
  { type: 'image/jpeg', starts: startsWith([0xff, 0xd8, 0xff]), sizeOf: sizeOfJpeg },
  {
    type: 'image/gif',
    starts: (bytes) => isAscii(bytes, 0, 'GIF87a') || isAscii(bytes, 0, 'GIF89a'),
    sizeOf: sizeOfGif,
  },
  { type: 'image/webp', starts: (bytes) => isAscii(bytes, 0, 'RIFF') && isAscii(bytes, 8, 'WEBP'), sizeOf: sizeOfWebp },
];

function startsWith(start: readonly number[]): (bytes: Uint8Array) => boolean {
  return (bytes) => start.every((byte, index) => bytes[index] === byte);
}

/** Whether these bytes are this text. */
export function isAscii(bytes: Uint8Array, at: number, text: string): boolean {
  return String.fromCharCode(...bytes.subarray(at, at + text.length)) === text;
}

const isAsciiAt = (view: DataView, at: number, text: string) =>
  isAscii(new Uint8Array(view.buffer, view.byteOffset, view.byteLength), at, text);

/** IHDR must be the first chunk. */
function sizeOfPng(view: DataView): Size | undefined {
  if (view.byteLength < 24 || !isAsciiAt(view, 12, 'IHDR')) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** The markers that begin a frame; the others in this range are tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Markers without a length. */
const isBare = (marker: number) => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
const SCAN = 0xda;
const END = 0xd9;

/** Goes from marker to marker up to the first scan. A thumbnail is within a segment, so its size is not read. */
function sizeOfJpeg(view: DataView): Size | undefined {
  let size: Size | undefined;
  let at = 2;
  while (at + 4 <= view.byteLength) {
    const marker = view.getUint8(at + 1);
    // Decoders skip bytes that are no marker, and fill bytes before one.
    if (view.getUint8(at) !== 0xff || marker === 0xff || marker === 0) at += 1;
    else if (isBare(marker)) at += 2;
    else if (marker === SCAN || marker === END) return size;
    else {
      if (isFrame(marker) && at + 9 <= view.byteLength)
        size = largest(size, { width: view.getUint16(at + 7), height: view.getUint16(at + 5) });
      at += 2 + Math.max(2, view.getUint16(at + 2));
    }
  }
  return undefined;
}

const GIF_HEADER = 13;
const EXTENSION = 0x21;
const FRAME = 0x2c;

/** A frame may be larger than the screen that the header announces: decoders then use its size. */
function sizeOfGif(view: DataView): Size | undefined {
  if (view.byteLength < GIF_HEADER) return undefined;
  const screen = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  let at = GIF_HEADER + colorTableBytes(view.getUint8(10));
  while (at + 10 <= view.byteLength) {
    const block = view.getUint8(at);
    if (block === FRAME) {
      const end = (start: number, length: number) =>
        view.getUint16(at + start, true) + view.getUint16(at + length, true);
      return largest(screen, { width: end(1, 5), height: end(3, 7) });
    }
    if (block !== EXTENSION) return undefined;
    at = afterSubBlocks(view, at + 2);
  }
  return undefined;
}

const colorTableBytes = (flags: number) => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

function afterSubBlocks(view: DataView, start: number): number {
  let at = start;
  while (at < view.byteLength) {
    const length = view.getUint8(at);
    at += 1 + length;
    if (length === 0) break;
  }
  return at;
}

/** The first chunk says what follows. A picture within a VP8X file that is larger than its canvas is refused by decoders. */
function sizeOfWebp(view: DataView): Size | undefined {
  if (view.byteLength < 30) return undefined;
  if (isAsciiAt(view, 12, 'VP8X')) return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
  if (isAsciiAt(view, 12, 'VP8 '))
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (!isAsciiAt(view, 12, 'VP8L') || view.getUint8(20) !== 0x2f) return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

const uint24 = (view: DataView, at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 2 ** 16;

function largest(one: Size | undefined, other: Size): Size {
  return { width: Math.max(one?.width ?? 0, other.width), height: Math.max(one?.height ?? 0, other.height) };
}
