// What JSON.stringify would write as something else without a word: a Map as {}, NaN as
// null. It is found, with its place.

/** Where a value cannot be written, and why. Quotes nothing of the value. */
export class Unwritable extends Error {
  /** JSON Pointer (RFC 6901); "" for the whole value. */
  readonly pointer: string;

  constructor(pointer: string, why: string) {
    super(`${pointer === "" ? "The value" : JSON.stringify(pointer)} ${why}`);
    this.pointer = pointer;
  }
}

/** What a report says of an output that could not be written. `where` is its route, or its Axon. */
export const unwrittenOutput = (where: string, error: unknown): string =>
  `${where}: its output could not be written${error instanceof Unwritable ? `: ${error.message}` : ""}`;

/** Whether the JSON that JSON.stringify has made of a value says all of it. Most have nothing that it writes instead. */
export const isFaithful = (json: string, value: unknown): boolean =>
  (!json.includes("{}") && !json.includes("null")) || saysAll(value);

/** Of what has been written: no cycle, no BigInt. Makes nothing, for an answer with a null is a usual one. */
function saysAll(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object" || value === null) return true;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return saysAllItself(value);
  if (Array.isArray(value)) {
    for (const item of value) if (isNothing(item) || !saysAll(item)) return false;
    return true;
  }
  if (!isPlainObject(value) && !isWrittenByMembers(value)) return false;
  for (const name of Object.keys(value)) if (!saysAll((value as Record<string, unknown>)[name])) return false;
  return true;
}

function saysAllItself(value: object): boolean {
  const read = toJson(value);
  return value instanceof Date ? read !== null : read === value || saysAll(read);
}

/** A member is left out, and in a list null stands in its place. */
const isNothing = (value: unknown): boolean => typeof value === "function" || typeof value === "symbol";

/** The JSON of any value, with all that is in it. Throws Unwritable. */
export function anyJson(value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    // For the place: a cycle, a BigInt. What a `toJSON` throws is thrown by it again.
    requireWritable(value, "");
    throw error;
  }
  if (json === undefined) throw new Unwritable("", `is ${kindOf(value)}, which JSON does not have`);
  if (!isFaithful(json, value)) requireWritable(value, "");
  return json;
}

/** Throws Unwritable where JSON.stringify would throw, or write something else. */
export function requireWritable(value: unknown, pointer: string, above: readonly unknown[] = []): void {
  const read = toJson(value);
  if (isNothing(read) || typeof read === "bigint")
    throw new Unwritable(pointer, `is ${kindOf(read)}, which JSON does not have`);
  if (typeof read === "number" && !Number.isFinite(read))
    throw new Unwritable(pointer, `is ${read}, which JSON does not have`);
  if (value instanceof Date && read === null) throw new Unwritable(pointer, "is a Date of no time");
  if (typeof read !== "object" || read === null) return;
  if (above.includes(read)) throw new Unwritable(pointer, "is what it stands in");
  const within = [...above, read];
  if (Array.isArray(read)) {
    for (const [at, item] of read.entries()) requireWritable(item, `${pointer}/${at}`, within);
    return;
  }
  const remedy = remedyFor(read);
  if (remedy !== undefined) throw new Unwritable(pointer, `is ${kindOf(read)}: ${remedy}`);
  for (const [name, member] of Object.entries(read))
    if (!isNothing(member)) requireWritable(member, pointerTo(pointer, name), within);
}

export const pointerTo = (pointer: string, name: string): string =>
  `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** What a value writes for itself, as a Date does. */
export function toJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value) : value;
}

/** "a Map", "a string": never the value itself. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  const name: unknown = (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)
    ?.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? `a ${name}` : "an object";
}

const REMEDY = "make data of it";
/** Their content is no member of theirs, and JSON makes {} of them. */
const OTHERS: readonly (readonly [new (...args: never[]) => object, string])[] = [
  [Map, "give Object.fromEntries(map), or [...map]"],
  [Set, "give [...set]"],
  [Error, "give fault(error), or throw it"],
  [Promise, "await it"],
  ...[WeakMap, WeakSet, RegExp, ArrayBuffer, SharedArrayBuffer, DataView].map(
    (made) => [made, REMEDY] as const,
  ),
];

/** An error may have members of its own. */
const remedyFor = (value: object): string | undefined =>
  value instanceof Error && Object.keys(value).length > 0
    ? undefined
    : OTHERS.find(([made]) => value instanceof made)?.[1];

export const isWrittenByMembers = (value: object): boolean => remedyFor(value) === undefined;

const byMembers = new WeakMap<object, boolean>();

/** An object whose members are its JSON: no list, nothing with a `toJSON`, no Map. */
export function isPlainObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null || (value as { toJSON?: unknown }).toJSON !== undefined)
    return false;
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  let known = byMembers.get(prototype);
  if (known === undefined) {
    known = !Array.isArray(value) && !(value instanceof Error) && isWrittenByMembers(value);
    byMembers.set(prototype, known);
  }
  return known && !Array.isArray(value);
}
