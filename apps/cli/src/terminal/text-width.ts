// How many columns a text takes in a terminal. No library, because string-width and its three dependencies would replace only the
// pattern WIDE: Intl.Segmenter does the rest.

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function textWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += widthOf(segment);
  return width;
}

/** Returns the text, shortened in its middle if it is wider: the end of a file name says as much as its beginning. */
export function shorten(text: string, maxWidth: number): string {
  if (textWidth(text) <= maxWidth) return text;
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment);
  const endWidth = Math.floor((maxWidth - 1) / 2);
  const start = fitting(characters, maxWidth - 1 - endWidth);
  const end = fitting(characters.toReversed(), endWidth).toReversed();
  return `${start.join('')}…${end.join('')}`;
}

export function padEnd(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}

/** Breaks a text between words. A word that is longer than a line, such as a link, stays whole. */
export function wrapWords(text: string, maxWidth: number): string {
  let width = 0;
  return text
    .split(' ')
    .map((word, index) => {
      const wordWidth = textWidth(word);
      const isNewLine = index > 0 && width + 1 + wordWidth > maxWidth;
      width = isNewLine || index === 0 ? wordWidth : width + 1 + wordWidth;
      return index === 0 ? word : (isNewLine ? '\n' : ' ') + word;
    })
    .join('');
}

function fitting(characters: readonly string[], maxWidth: number): string[] {
  let width = 0;
  return characters.slice(
    0,
    characters.findIndex((character) => (width += widthOf(character)) > maxWidth),
  );
}

function widthOf(character: string): number {
  return WIDE.test(character) ? 2 : 1;
}
