// Cuts a text into parts, so that a large one does not stop the page: only what the reader asks for is shown.

export interface TextPart {
  text: string;
  /** The first byte after it. */
  end: number;
}

/** The first part appears at once. The next ones are larger, because the reader has asked for them. */
export const FIRST_PART_BYTES = 64 * 1024;
export const NEXT_PART_BYTES = 256 * 1024;

const LINE_END = 0x0a;

/** The bytes are valid UTF-8. Ends after a line if it can, and never within a character. */
export function textPart(bytes: Uint8Array, start: number, maxBytes: number): TextPart {
  let end = Math.min(start + maxBytes, bytes.length);
  if (end < bytes.length) {
    const lastLine = bytes.subarray(start, end).lastIndexOf(LINE_END);
    // A long line must not leave hardly anything of the part.
    if (lastLine >= maxBytes / 2) end = start + lastLine + 1;
    else while (isWithinCharacter(bytes[end])) end -= 1;
  }
  // A byte order mark is one only at the start of the text.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: start > 0 });
  return { text: decoder.decode(bytes.subarray(start, end)), end };
}

const isWithinCharacter = (byte: number | undefined) => byte !== undefined && byte >= 0x80 && byte < 0xc0;
