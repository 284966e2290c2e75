// What may be written to a terminal: no character that controls it or changes the direction of text.
import { shownName } from '@furoshiki/format';

/** Returns lines without such characters. They become `_`, as in the names that are shown. */
export function printable(lines: string): string {
  return lines.split('\n').map(shownName).join('\n');
}

/** Each unit of a character that is not letters, marks, numbers, signs or a space. JSON escapes only those below U+0020 itself. */
const NOT_PLAIN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Returns JSON that has the exact value, with escapes for characters that a terminal would not show as they are. */
export function printableJson(value: unknown, indent: number): string {
  const escape = (character: string) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join('');
  // Its own line breaks are outside of all texts, where nothing else of these can be.
  return JSON.stringify(value, null, indent)
    .split('\n')
    .map((line) => line.replaceAll(NOT_PLAIN, escape))
    .join('\n');
}

const NOT_TEXT = /[^\P{Cc}\t\n]/u;

/**
 * Returns a function that says for each piece of a file, in order, whether it is text that cannot control a terminal: UTF-8
 * without control characters. A carriage return is allowed only before a line feed, because alone it hides what is before it.
 */
export function createTextCheck(): (bytes: Uint8Array) => boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  return (bytes) => {
    try {
      const text = rest + decoder.decode(bytes, { stream: true });
      // Its line feed may be in the next piece.
      rest = text.endsWith('\r') ? '\r' : '';
      return !NOT_TEXT.test(text.slice(0, text.length - rest.length).replaceAll('\r\n', '\n'));
    } catch {
      return false;
    }
  };
}
