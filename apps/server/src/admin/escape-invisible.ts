// Makes text of visitors harmless in a terminal, where control characters move the cursor and others change the text direction.

/** Controls (C0 and C1), formats such as U+202E, and line and paragraph separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Replaces each one as JSON may, by \\u and four digits, so that JSON keeps its meaning. */
export function escapeInvisible(line: string): string {
  return line.replaceAll(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, unit) => escapeUnit(character.charCodeAt(unit))).join(''),
  );
}

function escapeUnit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
