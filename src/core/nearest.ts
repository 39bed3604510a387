/** Longer words are not searched: the work grows with the square of the length. */
const MAX_LENGTH = 80;

/** A known name. `tail` is its last part: often the only part that the author remembers. */
export interface Known {
  readonly name: string;
  readonly tail: string;
}

/**
 * The known names closest to `word`, at most three: the name with the fewest slips if they are
 * few for the length of its tail, else the names with the same tail.
 */
export function nearest(word: string, tail: string, known: readonly Known[]): readonly string[] {
  if (word.length > MAX_LENGTH) return [];
  const plain = plainly(word);
  const limit = Math.max(1, Math.floor(plainly(tail).length / 4));
  let best: string | undefined;
  let fewest = limit + 1;
  for (const { name } of known) {
    const count = slips(plain, plainly(name));
    if (count < fewest) [best, fewest] = [name, count];
  }
  if (best !== undefined) return [best];
  const wanted = plainly(tail);
  const same = known.filter((one) => plainly(one.tail) === wanted).map((one) => one.name);
  return same.length <= 3 ? same : [];
}

/** "; did you mean a or b?", or nothing. */
export const didYouMean = (names: readonly string[]): string =>
  names.length === 0 ? "" : `did you mean ${names.join(" or ")}?`;

/** "did you mean a?" for one of a few plain names, or nothing. */
export const meantAmong = (word: string, names: readonly string[]): string =>
  didYouMean(
    nearest(
      word,
      word,
      names.map((name) => ({ name, tail: name })),
    ),
  );

// bodyLimitBytes and body-limit-bytes are the same name.
const plainly = (word: string): string => word.toLowerCase().replace(/[-_]/g, "");

/** Number of letters to insert, drop, replace or swap with a neighbour to turn one word into the other. */
export function slips(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = at(row, j - 1) + (one[i - 1] === other[j - 1] ? 0 : 1);
      let least = Math.min(at(next, j - 1) + 1, at(row, j) + 1, replaced);
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      if (swapped) least = Math.min(least, at(before, j - 2) + 1);
      next.push(least);
    }
    [before, row] = [row, next];
  }
  return at(row, other.length);
}

const at = (row: readonly number[], index: number): number => row[index] as number;
