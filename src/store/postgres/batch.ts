/** Maximum number of calls of a statement. */
const MAX_CALLS = 500;
/** Maximum length of their texts, but for a call alone: building a statement holds the loop 40 ms a megabyte. */
const MAX_LENGTH = 4 * 1024 ** 2;

/** Those that go with the next statement, and those behind it. `idOf`: of an id one goes at once. */
export function batchOf<T>(
  waiting: readonly T[],
  lengthOf: (call: T) => number,
  idOf: (call: T) => unknown = (call) => call,
): { readonly batch: T[]; readonly later: T[] } {
  const ids = new Set<unknown>();
  const batch: T[] = [];
  const later: T[] = [];
  let length = 0;
  // What follows a call that has no room waits with it: calls of an id keep their order.
  let isFull = false;
  for (const call of waiting) {
    const id = idOf(call);
    length += lengthOf(call);
    isFull ||= batch.length >= MAX_CALLS || (batch.length > 0 && length > MAX_LENGTH);
    if (isFull || ids.has(id)) later.push(call);
    else {
      ids.add(id);
      batch.push(call);
    }
  }
  return { batch, later };
}
