/**
 * The input that an operator means who was shown a redacted and shortened copy of it and
 * sent that back changed: what is still as it was shown is as it was held, what was not
 * shown stays. So nobody writes a mask over a secret.
 */
export function editedInput(edit: unknown, shown: unknown, held: unknown): unknown {
  if (isSame(edit, shown)) return held;
  if (Array.isArray(edit) && Array.isArray(shown) && Array.isArray(held)) {
    const items = edit.map((item, at) =>
      at < shown.length && at < held.length ? editedInput(item, shown[at], held[at]) : item,
    );
    // Nobody takes away, or puts something behind, what was not seen.
    return edit.length === shown.length ? [...items, ...held.slice(shown.length)] : items;
  }
  if (!isMembers(edit) || !isMembers(shown) || !isMembers(held)) return edit;
  const members = Object.entries(edit).filter(
    // A note of what was left out is none of its members.
    ([name, value]) => own(held, name) !== undefined || !isSame(value, own(shown, name)?.value),
  );
  const unseen = Object.keys(held).filter(
    (name) => own(shown, name) === undefined && own(edit, name) === undefined,
  );
  return Object.fromEntries([
    ...members.map(([name, value]) => [name, memberOf(name, value, shown, held)] as const),
    ...unseen.map((name) => [name, own(held, name)?.value] as const),
  ]);
}

function memberOf(name: string, value: unknown, shown: object, held: object): unknown {
  const [before, kept] = [own(shown, name), own(held, name)];
  return before === undefined || kept === undefined ? value : editedInput(value, before.value, kept.value);
}

/** No getter of the program runs for it. */
const own = (value: object, name: string): PropertyDescriptor | undefined =>
  Object.getOwnPropertyDescriptor(value, name);

const isMembers = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Of JSON. As deep as what was shown, which has a bound. */
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
