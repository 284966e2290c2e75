import { describe, expect, it } from 'vitest';
import { signAdHoc } from './ad-hoc-signature.mjs';
import { wrongPages } from './testing/mac-signature.ts';

const TEXT_BYTES = 32_768;
const SECTION_AT = 1024;

/** A program with the two segments that matter, and nothing that runs. */
function makeProgram(linkEditBytes = 5001, sectionAt = SECTION_AT): Buffer {
  const program = Buffer.alloc(TEXT_BYTES + linkEditBytes);
  for (let at = sectionAt; at < program.length; at += 1) program[at] = at % 253;
  const segment = (at: number, name: string, fileAt: number, fileBytes: number, sections: number) => {
    program.fill(0, at, at + 72 + 80 * sections);
    program.writeUInt32LE(0x19, at);
    program.writeUInt32LE(72 + 80 * sections, at + 4);
    program.write(name, at + 8);
    program.writeBigUInt64LE(BigInt(fileBytes), at + 32);
    program.writeBigUInt64LE(BigInt(fileAt), at + 40);
    program.writeBigUInt64LE(BigInt(fileBytes), at + 48);
    program.writeUInt32LE(sections, at + 64);
    if (sections > 0) program.writeUInt32LE(sectionAt, at + 72 + 48);
  };
  program.writeUInt32LE(0xfeedfacf, 0);
  program.writeUInt32LE(2, 16);
  program.writeUInt32LE(72 + 80 + 72, 20);
  segment(32, '__TEXT', 0, TEXT_BYTES, 1);
  segment(32 + 72 + 80, '__LINKEDIT', TEXT_BYTES, linkEditBytes, 0);
  return program;
}

describe('the signature of a program for macOS', () => {
  it.each([5001, 4096, 16])('has the hash of every page, the last one included: %i', (linkEditBytes) => {
    const signed = signAdHoc(makeProgram(linkEditBytes), 'furoshiki');
    expect(wrongPages(signed)).toEqual([]);
    expect(signed.includes('furoshiki\0')).toBe(true);
  });

  it('is in the last segment, and in nothing else', () => {
    const program = makeProgram();
    const signed = signAdHoc(program, 'furoshiki');
    const linkEdit = 32 + 72 + 80;
    expect(Number(signed.readBigUInt64LE(linkEdit + 48))).toBe(signed.length - TEXT_BYTES);
    expect(Number(signed.readBigUInt64LE(linkEdit + 32)) % 16_384).toBe(0);
    expect(signed.subarray(SECTION_AT, program.length).equals(program.subarray(SECTION_AT))).toBe(true);
  });

  it('notices a changed byte', () => {
    const signed = signAdHoc(makeProgram(), 'furoshiki');
    signed[9000] = 255;
    expect(wrongPages(signed)).toEqual([2]);
  });

  it.each<[string, () => Buffer, string]>([
    ['for another system', () => Buffer.alloc(4096), 'no program for macOS'],
    ['with a signature', () => signAdHoc(makeProgram(), 'furoshiki'), 'has a signature'],
    ['without room for one', () => makeProgram(5001, 32 + 72 + 80 + 72 + 8), 'no room'],
    ['that goes on after its last segment', () => Buffer.concat([makeProgram(), Buffer.alloc(1)]), '__LINKEDIT'],
  ])('is not made for a program %s', (_, make, reason) => {
    expect(() => signAdHoc(make(), 'furoshiki')).toThrow(reason);
  });
});
