// Makes names safe to show and to save. A name that every system accepts stays unchanged.

/** Device names of Windows, with any extension, and spaces before it. */
const RESERVED = /^(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\.|$)/iu;
/** Control characters, and those that change the text direction, which can make an .exe look like a .txt. */
const INVISIBLE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** The same without the marks U+061C, U+200E and U+200F, which names in Arabic and Hebrew may contain. */
const REFUSED = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** Returns false for a name that no server accepts. Clients replace such characters: see `shownName`. */
export function isAcceptedName(name: string): boolean {
  return !REFUSED.test(name);
}

/** Returns a name without folders. */
export function safeFileName(name: string): string {
  return safeSegment(name.replaceAll(/[/\\]/gu, '_'));
}

/** Returns a name for display, without invisible characters, so that it does not look like another one. */
export function shownName(name: string): string {
  return name.replaceAll(INVISIBLE, '_');
}

/** Returns a safe name of one file or folder. */
export function safeSegment(segment: string): string {
  // Windows drops dots and spaces at the end, so two names could become one.
  const visible = shownName(segment).replace(/[. ]+$/u, (end) => '_'.repeat(end.length));
  return RESERVED.test(visible) || visible === '' ? `_${visible}` : visible;
}
