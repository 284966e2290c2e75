// CRC-32 for ZIP, eight bytes per step, and the checksum of two joined pieces from the checksum of each.

const POLYNOMIAL = 0xedb88320;
const STEP = 8;
const TABLES = makeTables();

/** `before`: the checksum of the bytes before these. */
export function crc32(bytes: Uint8Array<ArrayBuffer>, before = 0): number {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = TABLES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const whole = bytes.length - (bytes.length % STEP);
  let crc = ~before;
  // Unrolled for speed, because it processes every byte of an archive.
  for (let at = 0; at < whole; at += STEP) {
    const low = crc ^ view.getInt32(at, true);
    const high = view.getInt32(at + 4, true);
    crc =
      entry(t7, low) ^
      entry(t6, low >>> 8) ^
      entry(t5, low >>> 16) ^
      entry(t4, low >>> 24) ^
      entry(t3, high) ^
      entry(t2, high >>> 8) ^
      entry(t1, high >>> 16) ^
      entry(t0, high >>> 24);
  }
  for (let at = whole; at < bytes.length; at += 1) crc = entry(t0, crc ^ view.getUint8(at)) ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** Returns the checksum of A ‖ B: the checksum of A is advanced by as many zero bits as B has bits. */
export function combineCrc32(crcOfA: number, crcOfB: number, lengthOfB: number): number {
  let crc = crcOfA;
  let matrix = oneZeroBit();
  // Squaring a matrix doubles its number of zero bits: 1, 2, 4, and then the 8 of one byte.
  for (let doubled = 0; doubled < 3; doubled += 1) matrix = square(matrix);
  for (let remaining = lengthOfB; remaining > 0; remaining = Math.floor(remaining / 2)) {
    if (remaining % 2 === 1) crc = times(matrix, crc);
    matrix = square(matrix);
  }
  return (crc ^ crcOfB) >>> 0;
}

function entry(table: Int32Array, index: number): number {
  return table[index & 0xff] ?? 0;
}

function makeTables() {
  const first = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    return crc;
  });
  const next = (table: Int32Array) => table.map((crc) => (crc >>> 8) ^ entry(first, crc));
  const t1 = next(first);
  const t2 = next(t1);
  const t3 = next(t2);
  const t4 = next(t3);
  const t5 = next(t4);
  const t6 = next(t5);
  return [first, t1, t2, t3, t4, t5, t6, next(t6)] as const;
}

/** A linear map of 32 bits: the image of each single bit. */
type Matrix = readonly number[];

function oneZeroBit(): Matrix {
  return Array.from({ length: 32 }, (_, bit) => (bit === 0 ? POLYNOMIAL : 2 ** (bit - 1)));
}

function times(matrix: Matrix, vector: number): number {
  return matrix.reduce((sum, column, bit) => ((vector >>> bit) & 1 ? sum ^ column : sum), 0);
}

function square(matrix: Matrix): Matrix {
  return matrix.map((column) => times(matrix, column));
}
