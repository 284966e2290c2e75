// How much two words differ.

/**
 * The number of characters to insert, delete or replace, or of neighbours to swap. By hand: fastest-levenshtein counts a swap,
 * the most frequent slip of all, as two.
 */
export function editDistance(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const replaced = at(last, column - 1) + (isSame ? 0 : 1);
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const swapped = isSwapped && row > 1 && column > 1 ? at(beforeLast, column - 2) + 1 : replaced;
      next.push(Math.min(at(last, column) + 1, at(next, column - 1) + 1, replaced, swapped));
    }
    [beforeLast, last] = [last, next];
  }
  return at(last, other.length);
}

const at = (numbers: number[], index: number) => numbers[index] ?? 0;
