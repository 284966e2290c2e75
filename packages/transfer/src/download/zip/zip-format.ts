// The bytes of a ZIP archive around its files: no compression, names in UTF-8, ZIP64 if 32 bits are too few.
// No library: workers have already computed the checksums of the streamed chunks. client-zip needs WebAssembly, which our
// content security policy forbids, and fflate has no ZIP64.

export interface ZipEntry {
  /** Folders are separated by /. It ends with / if it is a folder. */
  path: string;
  size: number;
  modifiedAtSeconds: number;
  /** Whether its owner can run it as a program. */
  isExecutable?: boolean;
}

export interface WrittenEntry extends ZipEntry {
  crc32: number;
  /** Offset of its local header. */
  offset: number;
}

const MAX_32 = 0xffffffff;
const MAX_16 = 0xffff;
const VERSION = 45;
/** Made on Unix, so that programs read the permissions below. */
const MADE_BY = 0x0300 + VERSION;
const PERMISSIONS = { file: 0o100644, program: 0o100755, folder: 0o040755 };
const DOS_FOLDER = 0x10;
/** The checksum follows the content; names are UTF-8. */
const FLAGS = 0x0808;
const DESCRIPTOR_BYTES = 16;
const LARGE_DESCRIPTOR_BYTES = 24;

/** The record before a file's content. */
export function localHeader(entry: ZipEntry): Uint8Array<ArrayBuffer> {
  const isLarge = entry.size >= MAX_32;
  const extra = isLarge ? zip64Extra([entry.size, entry.size]) : noBytes();
  const size = isLarge ? MAX_32 : 0;
  const fields = fieldsOf(30)
    .u32(0x04034b50)
    .u16(VERSION)
    .u16(FLAGS)
    .u16(0)
    .u32(dosTime(entry.modifiedAtSeconds))
    .u32(0)
    .u32(size)
    .u32(size);
  const name = nameOf(entry);
  return join(fields.u16(name.length).u16(extra.length).bytes, name, extra);
}

/** The record after a file's content. */
export function dataDescriptor({ size }: ZipEntry, crc32: number): Uint8Array<ArrayBuffer> {
  if (size < MAX_32) return fieldsOf(DESCRIPTOR_BYTES).u32(0x08074b50).u32(crc32).u32(size).u32(size).bytes;
  return fieldsOf(LARGE_DESCRIPTOR_BYTES).u32(0x08074b50).u32(crc32).u64(size).u64(size).bytes;
}

/** The list of all files, which ends the archive. */
export function centralDirectory(entries: readonly WrittenEntry[], offset: number): Uint8Array<ArrayBuffer> {
  const records = join(...entries.map(centralRecord));
  return join(records, endRecords(entries.length, records.length, offset));
}

/** Returns the size of the whole archive. */
export function zipSize(entries: readonly ZipEntry[]): number {
  let offset = 0;
  const written = entries.map((entry) => {
    const placed = { ...entry, crc32: 0, offset };
    offset += localHeader(entry).length + entry.size + dataDescriptor(entry, 0).length;
    return placed;
  });
  return offset + centralDirectory(written, offset).length;
}

function centralRecord(entry: WrittenEntry): Uint8Array<ArrayBuffer> {
  const isLarge = entry.size >= MAX_32;
  const isFar = entry.offset >= MAX_32;
  const large = [...(isLarge ? [entry.size, entry.size] : []), ...(isFar ? [entry.offset] : [])];
  const extra = large.length > 0 ? zip64Extra(large) : noBytes();
  const name = nameOf(entry);
  const size = isLarge ? MAX_32 : entry.size;
  const fields = fieldsOf(46)
    .u32(0x02014b50)
    .u16(MADE_BY)
    .u16(VERSION)
    .u16(FLAGS)
    .u16(0)
    .u32(dosTime(entry.modifiedAtSeconds))
    .u32(entry.crc32)
    .u32(size)
    .u32(size)
    .u16(name.length)
    .u16(extra.length)
    .u16(0)
    .u16(0)
    .u16(0)
    .u32(attributesOf(entry))
    .u32(isFar ? MAX_32 : entry.offset);
  return join(fields.bytes, name, extra);
}

function attributesOf({ path, isExecutable = false }: ZipEntry): number {
  if (path.endsWith('/')) return PERMISSIONS.folder * 2 ** 16 + DOS_FOLDER;
  return (isExecutable ? PERMISSIONS.program : PERMISSIONS.file) * 2 ** 16;
}

function endRecords(count: number, length: number, offset: number): Uint8Array<ArrayBuffer> {
  const isLarge = count >= MAX_16 || length >= MAX_32 || offset >= MAX_32;
  const end = fieldsOf(22)
    .u32(0x06054b50)
    .u32(0)
    .u16(Math.min(count, MAX_16))
    .u16(Math.min(count, MAX_16))
    .u32(Math.min(length, MAX_32))
    .u32(Math.min(offset, MAX_32)).bytes;
  if (!isLarge) return end;
  const zip64End = fieldsOf(56)
    .u32(0x06064b50)
    .u64(44)
    .u16(MADE_BY)
    .u16(VERSION)
    .u64(0)
    .u64(count)
    .u64(count)
    .u64(length)
    .u64(offset).bytes;
  const locator = fieldsOf(20)
    .u32(0x07064b50)
    .u32(0)
    .u64(offset + length)
    .u32(1).bytes;
  return join(zip64End, locator, end);
}

function zip64Extra(values: number[]): Uint8Array<ArrayBuffer> {
  const fields = fieldsOf(4 + 8 * values.length)
    .u16(1)
    .u16(8 * values.length);
  return values.reduce((extra, value) => extra.u64(value), fields).bytes;
}

/** Date in the upper 16 bits, time in the lower, in steps of two seconds, from 1980 on. UTC: the format has no time zone. */
function dosTime(seconds: number): number {
  const date = new Date(seconds * 1000);
  const year = Math.max(date.getUTCFullYear(), 1980) - 1980;
  const day = year * 512 + (date.getUTCMonth() + 1) * 32 + date.getUTCDate();
  return day * 2 ** 16 + date.getUTCHours() * 2048 + date.getUTCMinutes() * 32 + Math.floor(date.getUTCSeconds() / 2);
}

function nameOf({ path }: ZipEntry): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(path);
}

function noBytes(): Uint8Array<ArrayBuffer> {
  return new Uint8Array();
}

function join(...pieces: Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

interface Fields {
  u16(value: number): Fields;
  u32(value: number): Fields;
  u64(value: number): Fields;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Writes fields one after the other, little-endian, into a record of this length. */
function fieldsOf(length: number): Fields {
  const view = new DataView(new ArrayBuffer(length));
  let at = 0;
  const fields: Fields = {
    u16(value) {
      view.setUint16(at, value, true);
      at += 2;
      return fields;
    },
    u32(value) {
      view.setUint32(at, value, true);
      at += 4;
      return fields;
    },
    u64(value) {
      view.setBigUint64(at, BigInt(value), true);
      at += 8;
      return fields;
    },
    bytes: new Uint8Array(view.buffer),
  };
  return fields;
}
