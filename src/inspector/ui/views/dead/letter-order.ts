import type { DeadLetterRow } from "../../../api/dead-letters.js";

/**
 * Letters in the order in which they were first seen: the server puts one that failed again
 * last, and who re-drove it reads what came of it where it stood.
 *
 * @param seen ids, the first seen first
 */
export function inFirstSeenOrder(
  seen: readonly string[],
  letters: readonly DeadLetterRow[],
): readonly DeadLetterRow[] {
  const places = new Map(seen.map((id, n) => [id, n]));
  const placeOf = ({ id }: DeadLetterRow): number => places.get(id) ?? seen.length;
  return [...letters].sort((a, b) => placeOf(a) - placeOf(b));
}
