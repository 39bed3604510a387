// Finds values that JSON.stringify would silently change, such as a Map, written as {}, or NaN,
// written as null.

/** The place and the reason of a value that cannot be serialised. Does not quote the value. */
export class Unwritable extends Error {
  /** JSON Pointer (RFC 6901); "" for the whole value. */
  readonly pointer: string;

  constructor(pointer: string, why: string) {
    super(`${pointer === "" ? "The value" : JSON.stringify(pointer)} ${why}`);
    this.pointer = pointer;
  }
}

/** Message of a report about an output that cannot be serialised. `where` is its route or Axon. */
export const unwrittenOutput = (where: string, error: unknown): string =>
  `${where}: its output could not be written${error instanceof Unwritable ? `: ${error.message}` : ""}`;

/** True if JSON.stringify lost nothing of a value. Most values contain nothing that it would replace. */
export const isFaithful = (json: string, value: unknown): boolean =>
  (!json.includes("{}") && !json.includes("null")) || saysAll(value);

/**
 * For a value that was serialised: no cycle, no BigInt. Does not allocate, since responses with
 * null are common.
 */
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

/** JSON.stringify leaves such a member out, and writes null for such an item. */
const isNothing = (value: unknown): boolean => typeof value === "function" || typeof value === "symbol";

/** The JSON of any value with all its members. Throws Unwritable. */
export function anyJson(value: unknown): string {
  let json: string | undefined;
  try {
    json = JSON.stringify(value);
  } catch (error) {
    // Finds the place of a cycle or BigInt. An error of a `toJSON` is thrown again.
    requireWritable(value, "");
    throw error;
  }
  if (json === undefined) throw new Unwritable("", `is ${kindOf(value)}, which JSON does not have`);
  if (!isFaithful(json, value)) requireWritable(value, "");
  return json;
}

/** Throws Unwritable if JSON.stringify would throw or change the value. */
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

/** The result of the value's toJSON, as of a Date. */
export function toJson(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value) : value;
}

/** The kind of a value, "a Map", "a string"; never the value itself. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  if (Array.isArray(value)) return "an array";
  const name: unknown = (Object.getPrototypeOf(value) as { constructor?: { name?: unknown } } | null)
    ?.constructor?.name;
  return typeof name === "string" && name !== "" && name !== "Object" ? `a ${name}` : "an object";
}

const REMEDY = "make data of it";
/** Classes with content that JSON.stringify ignores: it writes {}. */
const OTHERS: readonly (readonly [new (...args: never[]) => object, string])[] = [
  [Map, "give Object.fromEntries(map), or [...map]"],
  [Set, "give [...set]"],
  [Error, "give fault(error), or throw it"],
  [Promise, "await it"],
  ...[WeakMap, WeakSet, RegExp, ArrayBuffer, SharedArrayBuffer, DataView].map(
    (made) => [made, REMEDY] as const,
  ),
];

/** A remedy for errors, whose own members are serialised. */
const remedyFor = (value: object): string | undefined =>
  value instanceof Error && Object.keys(value).length > 0
    ? undefined
    : OTHERS.find(([made]) => value instanceof made)?.[1];

export const isWrittenByMembers = (value: object): boolean => remedyFor(value) === undefined;

const byMembers = new WeakMap<object, boolean>();

/** True for an object whose JSON is its members: not a list, a Map, or an object with a `toJSON`. */
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
