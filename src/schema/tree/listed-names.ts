// The names of an object's own members. The engine lists all of them before the first is read: 0.4
// s for a million, half the time of parsing them; `for in` too. Since the same object is often
// shown again, its names are cached.

export interface Names {
  /** The first names, if there are very many. */
  readonly names: readonly string[];
  /** Number of all names. */
  readonly size: number;
}

/** The names of a larger object are cached, and only this many are read. */
const MANY = 10_000;
const READ_OF_MANY = 2048;

const namesOfMany = new WeakMap<object, Names>();

/** Members added later to a very large object are not seen. */
export function namesOf(value: object): Names {
  const known = namesOfMany.get(value);
  if (known !== undefined) return known;
  const names = Object.keys(value);
  if (names.length <= MANY) return { names, size: names.length };
  const many = { names: names.slice(0, READ_OF_MANY), size: names.length };
  namesOfMany.set(value, many);
  return many;
}
