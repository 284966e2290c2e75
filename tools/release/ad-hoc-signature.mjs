// Signs a program for macOS on ARM, which starts nothing without a signature. It is an ad-hoc one, as compilers make it: hashes of
// the program and no identity. `codesign` exists on macOS only, and our releases are made on Linux.
// The format is that of `cs_blobs.h` in Apple's XNU.
import { createHash } from 'node:crypto';

const MACH_O_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const SEGMENT = 0x19;
const SEGMENT_BYTES = 72;
const SIGNATURE_COMMAND = 0x1d;
const SIGNATURE_COMMAND_BYTES = 16;

const HASHED_BYTES = 4096;
const HASH_BYTES = 32;
/** Of memory on ARM. */
const PAGE_BYTES = 16_384;
const SUPER_BLOB_BYTES = 20;
const DIRECTORY_BYTES = 88;

/**
 * @param {Buffer} program a Mach-O file for 64 bits without a signature
 * @param {string} identifier
 * @returns {Buffer} the signed program
 */
export function signAdHoc(program, identifier) {
  if (program.readUInt32LE(0) !== MACH_O_64) throw new Error('this is no program for macOS');
  const commands = commandsOf(program);
  const text = segment(program, commands, '__TEXT');
  const linkEdit = segment(program, commands, '__LINKEDIT');
  const commandsEnd = HEADER_BYTES + program.readUInt32LE(20);
  const firstSectionAt = program.readUInt32LE(text.at + SEGMENT_BYTES + 48);
  if (commands.some(({ kind }) => kind === SIGNATURE_COMMAND)) throw new Error('the program has a signature');
  if (commandsEnd + SIGNATURE_COMMAND_BYTES > firstSectionAt) throw new Error('there is no room for a signature');
  if (linkEdit.fileAt + linkEdit.fileBytes !== program.length) throw new Error('__LINKEDIT is not the last segment');

  const signatureAt = Math.ceil(program.length / 16) * 16;
  const hashCount = Math.ceil(signatureAt / HASHED_BYTES);
  const name = Buffer.from(`${identifier}\0`);
  const directoryBytes = DIRECTORY_BYTES + name.length + hashCount * HASH_BYTES;
  const signatureBytes = SUPER_BLOB_BYTES + directoryBytes;

  const signed = Buffer.alloc(signatureAt + signatureBytes);
  program.copy(signed);
  signed.writeUInt32LE(commands.length + 1, 16);
  signed.writeUInt32LE(program.readUInt32LE(20) + SIGNATURE_COMMAND_BYTES, 20);
  [SIGNATURE_COMMAND, SIGNATURE_COMMAND_BYTES, signatureAt, signatureBytes].forEach((value, index) =>
    signed.writeUInt32LE(value, commandsEnd + 4 * index),
  );
  const linkEditBytes = signed.length - linkEdit.fileAt;
  signed.writeBigUInt64LE(BigInt(Math.ceil(linkEditBytes / PAGE_BYTES) * PAGE_BYTES), linkEdit.at + 32);
  signed.writeBigUInt64LE(BigInt(linkEditBytes), linkEdit.at + 48);

  // The numbers of a signature have the other byte order.
  let at = signatureAt;
  const u32 = (/** @type {number} */ value) => (at = signed.writeUInt32BE(value, at));
  const u64 = (/** @type {number} */ value) => (at = signed.writeBigUInt64BE(BigInt(value), at));
  // The outer blob, with one inner one: the code directory.
  [0xfade0cc0, signatureBytes, 1, 0, SUPER_BLOB_BYTES].forEach(u32);
  // Version, and flags: ad hoc.
  [0xfade0c02, directoryBytes, 0x20400, 2].forEach(u32);
  // Where hashes and name begin, the number of hashes, and how much is hashed.
  [DIRECTORY_BYTES + name.length, DIRECTORY_BYTES, 0, hashCount, signatureAt].forEach(u32);
  // SHA-256, 32 bytes each, of 2^12 bytes.
  u32((HASH_BYTES << 24) | (2 << 16) | 12);
  // Unused: spare, scatter, team, spare.
  [0, 0, 0, 0].forEach(u32);
  // Unused, then where the code is, and that this is a main program.
  [0, text.fileAt, text.fileBytes, 1].forEach(u64);
  at += name.copy(signed, at);
  for (let from = 0; from < signatureAt; from += HASHED_BYTES) {
    const page = signed.subarray(from, Math.min(from + HASHED_BYTES, signatureAt));
    at += createHash('sha256').update(page).digest().copy(signed, at);
  }
  return signed;
}

/** @param {Buffer} program */
function commandsOf(program) {
  const commands = [];
  let at = HEADER_BYTES;
  for (let left = program.readUInt32LE(16); left > 0; left -= 1) {
    commands.push({ kind: program.readUInt32LE(at), at });
    at += program.readUInt32LE(at + 4);
  }
  return commands;
}

/** @param {Buffer} program @param {ReturnType<typeof commandsOf>} commands @param {string} name */
function segment(program, commands, name) {
  const nameOf = (/** @type {number} */ at) => program.toString('latin1', at + 8, at + 24).replace(/\0+$/u, '');
  const found = commands.find(({ kind, at }) => kind === SEGMENT && nameOf(at) === name);
  if (!found) throw new Error(`the program has no segment ${name}`);
  const { at } = found;
  return { at, fileAt: Number(program.readBigUInt64LE(at + 40)), fileBytes: Number(program.readBigUInt64LE(at + 48)) };
}
