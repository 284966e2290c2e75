// What a file begins with says whether it is a video or a sound, and which. Names and types of senders do not count.
import { isAscii } from './picture-header.ts';

const SOUNDS_OF_MP4 = ['M4A ', 'M4B ', 'F4A '];
/** Pictures use the same container. */
const PICTURES_OF_MP4 = ['avif', 'avis', 'heic', 'heif', 'heis', 'heix', 'hevc', 'hevx', 'mif1', 'msf1', 'crx '];

/** MPEG layers II and III, and ADTS: eleven set bits, and a layer and a rate that exist. A text in UTF-16 may begin like layer I. */
function isMpegFrame(bytes: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return false;
  const isAdts = (second & 0xf6) === 0xf0;
  const layer = second & 0x06;
  return isAdts || ((second & 0x18) !== 0x08 && (layer === 0x02 || layer === 0x04) && (third & 0xf0) !== 0xf0);
}

/** Returns the media type of what these first bytes begin. Undefined if it is neither a video nor a sound. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  if (bytes.length < 16) return undefined;
  const isBrand = (brand: string) => isAscii(bytes, 8, brand);
  if (isAscii(bytes, 4, 'ftyp')) {
    if (SOUNDS_OF_MP4.some(isBrand)) return 'audio/mp4';
    return PICTURES_OF_MP4.some(isBrand) ? undefined : 'video/mp4';
  }
  if (bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3) return 'video/webm';
  if (isAscii(bytes, 0, 'OggS')) return 'audio/ogg';
  if (isAscii(bytes, 0, 'fLaC')) return 'audio/flac';
  if (isAscii(bytes, 0, 'RIFF') && isBrand('WAVE')) return 'audio/wav';
  if (isAscii(bytes, 0, 'ID3') || isMpegFrame(bytes)) return 'audio/mpeg';
  return undefined;
}
