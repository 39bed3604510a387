// The names of an object's own members. The language lists all of them before the first can
// be read (`for in` does too: 0.4 s for a million, half of what parsing them has taken), and
// what shows values is shown the same object again: it is listed once.

export interface Names {
  /** Of an object with very many, the first. */
  readonly names: readonly string[];
  /** How many there are. */
  readonly size: number;
}

/** Of an object with more members the names are kept, and no more of them are read. */
const MANY = 10_000;
const READ_OF_MANY = 2048;

const namesOfMany = new WeakMap<object, Names>();

/** What an object with very many members is given later is not seen then. */
export function namesOf(value: object): Names {
  const known = namesOfMany.get(value);
  if (known !== undefined) return known;
  const names = Object.keys(value);
  if (names.length <= MANY) return { names, size: names.length };
  const many = { names: names.slice(0, READ_OF_MANY), size: names.length };
  namesOfMany.set(value, many);
  return many;
}
