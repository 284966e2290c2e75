// Decides by the content of a file how it is shown: as a picture, as text, or not at all. Runs in a worker, away from the page.
import type { Looked } from '../../services.ts';
import { type PictureHeader, readPictureHeader } from './picture-header.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** A decoder needs four bytes for each pixel. */
const MAX_PIXELS = 100_000_000;
const MAX_SIDE = 30_000;
/** More than a screen has. Phones have little memory for pictures that are shown. */
const MAX_SHOWN_SIDE = 4096;

export async function lookAt(bytes: Bytes): Promise<Looked> {
  const header = readPictureHeader(bytes);
  if (header) return (await pictureOf(bytes, header)) ?? { kind: 'other' };
  return isText(bytes) ? { kind: 'text', bytes } : { kind: 'other' };
}

export function isTooLarge({ width, height }: Pick<PictureHeader, 'width' | 'height'>): boolean {
  return Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS;
}

/** The first frame of a moving picture. Undefined if it cannot be decoded. */
async function pictureOf(bytes: Bytes, header: PictureHeader): Promise<Looked | undefined> {
  if (isTooLarge(header)) return undefined;
  try {
    const whole = await createImageBitmap(new Blob([bytes], { type: header.type }));
    const scale = MAX_SHOWN_SIDE / Math.max(whole.width, whole.height);
    if (scale >= 1) return { kind: 'picture', bytes, type: header.type, bitmap: whole };
    // Only now: a photo may be turned, and its header has the size before that.
    const resizeWidth = Math.max(1, Math.round(whole.width * scale));
    const resizeHeight = Math.max(1, Math.round(whole.height * scale));
    const bitmap = await createImageBitmap(whole, { resizeWidth, resizeHeight, resizeQuality: 'high' });
    whole.close();
    return { kind: 'picture', bytes, type: header.type, bitmap };
  } catch {
    return undefined;
  }
}

const STEP_BYTES = 1024 * 1024;

/** UTF-8 without a zero byte, which no text has and most other files have. */
export function isText(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (let at = 0; at < bytes.length; at += STEP_BYTES) {
      const step = bytes.subarray(at, at + STEP_BYTES);
      if (step.includes(0)) return false;
      decoder.decode(step, { stream: true });
    }
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}
