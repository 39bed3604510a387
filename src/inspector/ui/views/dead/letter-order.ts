import type { DeadLetterRow } from "../../../api/dead-letters.js";

/**
 * Orders letters by their first appearance on this page. The server moves a letter that failed
 * again to the end, but its result should stay where the operator re-drove it.
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
