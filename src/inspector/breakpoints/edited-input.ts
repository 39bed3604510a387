/** An edit of a value that JSON cannot make: an instance of a class, or an object with accessors. */
export class UneditableError extends Error {
  /** `pointer` is a JSON Pointer (RFC 6901). */
  constructor(pointer: string) {
    const place = pointer === "" ? "The input" : `What stands at '${pointer}'`;
    super(`${place} is an instance of a class, or has accessors: it can be kept as it is, and not edited`);
  }
}

/**
 * The held input with an operator's edit, which was made on a redacted and shortened copy: values
 * that are as shown, and those not shown, stay as held, so that no mask overwrites a secret.
 * `at` is the place's JSON Pointer. Throws UneditableError.
 */
export function editedInput(edit: unknown, shown: unknown, held: unknown, at = ""): unknown {
  if (isSame(edit, shown)) return held;
  if (!isData(held)) throw new UneditableError(at);
  if (Array.isArray(edit) && Array.isArray(shown) && Array.isArray(held)) {
    const items = edit.map((item, i) =>
      i < shown.length && i < held.length ? editedInput(item, shown[i], held[i], `${at}/${i}`) : item,
    );
    // Items that were not shown stay, unless the edit has another length.
    return edit.length === shown.length ? [...items, ...held.slice(shown.length)] : items;
  }
  if (!isMembers(edit) || !isMembers(shown) || !isMembers(held)) return edit;
  const members = Object.entries(edit).filter(
    // A note of what was left out is no member of the held value.
    ([name, value]) => own(held, name) !== undefined || !isSame(value, own(shown, name)?.value),
  );
  const unseen = Object.keys(held).filter(
    (name) => own(shown, name) === undefined && own(edit, name) === undefined,
  );
  return Object.fromEntries([
    ...members.map(([name, value]) => [name, memberOf(name, value, shown, held, at)] as const),
    ...unseen.map((name) => [name, own(held, name)?.value] as const),
  ]);
}

function memberOf(name: string, value: unknown, shown: object, held: object, at: string): unknown {
  const [before, kept] = [own(shown, name), own(held, name)];
  if (before === undefined || kept === undefined) return value;
  const pointer = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return editedInput(value, before.value, kept.value, pointer);
}

/** Whether a copy of its members is of the same kind. */
function isData(held: unknown): boolean {
  if (typeof held !== "object" || held === null) return true;
  const usual = Array.isArray(held) ? Array.prototype : Object.prototype;
  const prototype: unknown = Object.getPrototypeOf(held);
  if (prototype !== null && prototype !== usual) return false;
  return Reflect.ownKeys(held).every((name) => {
    const { get, set } = Object.getOwnPropertyDescriptor(held, name) ?? {};
    return get === undefined && set === undefined;
  });
}

/** Runs no getter. */
const own = (value: object, name: string): PropertyDescriptor | undefined =>
  Object.getOwnPropertyDescriptor(value, name);

const isMembers = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Of JSON values. The depth is that of the shown value, which is bounded. */
function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, at) => isSame(item, b[at]));
  if (!isMembers(a) || !isMembers(b)) return a === b;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => {
    const other = own(b, name);
    return other !== undefined && isSame(own(a, name)?.value, other.value);
  });
}
