// The parts of a value, read without running code of the program: no getter, toJSON, iterator or
// proxy trap.

import { types } from "node:util";

import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import { Secret } from "#core/secrets/secret.js";
import { namesOf } from "./listed-names.js";

export type ValueParts =
  /** A value that is one text. */
  | { readonly kind: "text"; readonly text: string }
  /** A fixed text of this module, without outside content. */
  | { readonly kind: "word"; readonly word: string }
  | { readonly kind: "secret" }
  | { readonly kind: "leaf"; readonly leaf: number | boolean | bigint }
  | {
      readonly kind: "list";
      readonly size: number;
      readonly items: Iterable<unknown>;
      /** False for a Set: its items have no index. */
      readonly isOrdered: boolean;
    }
  | {
      readonly kind: "record";
      readonly size: number;
      readonly members: Iterable<readonly [string, unknown]>;
    };

const word = (word: string): ValueParts => ({ kind: "word", word });

/** Stands for a value behind a getter. */
const GETTER = Object.freeze({});

/** `hasOwn`: whether an exception is shown with its own members, and not by class and code alone. */
export function valuePartsOf(value: object, hasOwn = false): ValueParts {
  if (value === GETTER) return word("[getter]");
  if (types.isProxy(value)) return word("[proxy]");
  if (typeof value === "function") return word("[function]");
  if (types.isBoxedPrimitive(value)) return unboxed(value);
  if (Array.isArray(value))
    return { kind: "list", size: value.length, items: itemsOf(value), isOrdered: true };
  const parts = knownParts(value, hasOwn) ?? plainParts(value);
  return hasOwn || parts.kind !== "record" || !isRuntimeFault(value) ? parts : withoutThrown(parts);
}

/** Built-in objects with internal parts, which only built-in methods can read. */
function knownParts(value: object, hasOwn: boolean): ValueParts | undefined {
  if (ArrayBuffer.isView(value)) return word(`[${viewLength(value)} bytes]`);
  if (types.isAnyArrayBuffer(value)) return word("[bytes]");
  if (types.isDate(value)) return word(dateText(value));
  if (types.isMap(value)) return { kind: "record", size: mapSize(value), members: mapMembers(value) };
  if (types.isSet(value))
    return { kind: "list", size: setSize(value), items: setItems.call(value), isOrdered: false };
  if (types.isRegExp(value)) return word("[pattern]");
  if (types.isPromise(value)) return word("[promise]");
  if (types.isNativeError(value)) return errorParts(value, hasOwn);
  if (types.isGeneratorObject(value)) return word("[iterator]");
  return undefined;
}

function plainParts(value: object): ValueParts {
  const { root, chain } = prototypesOf(value);
  if (chain.includes(Secret.prototype)) return { kind: "secret" };
  if (root === "proxy") return word("[object]");
  if (chain.includes(URL.prototype)) return { kind: "text", text: urlText.call(value as URL) };
  if (STREAMS.some((name) => chain.some((prototype) => Object.hasOwn(prototype, name))))
    return word("[stream]");
  const { names, size } = namesOf(value);
  return { kind: "record", size, members: membersOf(value, names) };
}

/** Streams of Node.js and the web, Blobs, async iterables. */
const STREAMS: readonly (string | symbol)[] = [
  "pipe",
  "getReader",
  "getWriter",
  "arrayBuffer",
  Symbol.asyncIterator,
];

const MAX_CHAIN = 16;

function prototypesOf(value: object): {
  readonly root: "known" | "proxy";
  readonly chain: readonly object[];
} {
  const chain: object[] = [];
  for (let at: object | null = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at)) {
    if (types.isProxy(at) || chain.length === MAX_CHAIN) return { root: "proxy", chain };
    chain.push(at);
  }
  return { root: "known", chain };
}

/** The value of a data property; GETTER for an accessor. */
const held = (holder: object, name: PropertyKey): unknown => {
  const own = Object.getOwnPropertyDescriptor(holder, name);
  return own !== undefined && "get" in own ? GETTER : own?.value;
};

function* membersOf(value: object, names: readonly string[]): Iterable<readonly [string, unknown]> {
  for (const name of names) yield [name, held(value, name)];
}

function* itemsOf(list: readonly unknown[]): Iterable<unknown> {
  for (let at = 0; at < list.length; at += 1) yield held(list, at);
}

const mapEntries = Map.prototype.entries;
const setItems = Set.prototype.values;
const getterOf = (prototype: object, name: string): ((this: unknown) => never) =>
  Object.getOwnPropertyDescriptor(prototype, name)?.get as (this: unknown) => never;
const sizeOfMap = getterOf(Map.prototype, "size");
const sizeOfSet = getterOf(Set.prototype, "size");
const lengthOfArray = getterOf(Object.getPrototypeOf(Uint8Array.prototype), "byteLength");
const lengthOfView = getterOf(DataView.prototype, "byteLength");
const urlText = URL.prototype.toString;

const mapSize = (map: ReadonlyMap<unknown, unknown>): number => sizeOfMap.call(map);
const setSize = (set: ReadonlySet<unknown>): number => sizeOfSet.call(set);
const viewLength = (view: ArrayBufferView): number =>
  types.isDataView(view) ? lengthOfView.call(view) : lengthOfArray.call(view);

function* mapMembers(map: Map<unknown, unknown>): Iterable<readonly [string, unknown]> {
  for (const [key, value] of mapEntries.call(map)) yield [keyText(key), value];
}

function keyText(key: unknown): string {
  switch (typeof key) {
    case "string":
      return key;
    case "number":
    case "boolean":
      return String(key);
    default:
      return `[${typeof key}]`;
  }
}

function dateText(date: Date): string {
  const ms = Date.prototype.getTime.call(date);
  return Number.isNaN(ms) ? "[no date]" : Date.prototype.toISOString.call(date);
}

// Only its class, code and, where that is allowed, its other members: a message may contain anything, and
// reading the stack may run code of the program.
function errorParts(error: Error, hasOwn: boolean): ValueParts {
  const { names, size } = namesOf(error);
  const shown = names.filter((name) => (hasOwn ? !ERROR_TEXTS.includes(name) : name === "code"));
  function* members(): Iterable<readonly [string, unknown]> {
    yield ["type", classOf(error)];
    yield* membersOf(error, shown);
  }
  const more = hasOwn ? size - names.length : 0;
  return { kind: "record", size: shown.length + 1 + more, members: members() };
}

function classOf(error: object): unknown {
  const { chain } = prototypesOf(error);
  const [first = {}] = chain;
  const holder = [error, ...chain].find((object) => Object.hasOwn(object, "name"));
  if (holder === error || holder === first) return held(holder, "name");
  // A class that gives its errors no name has inherited that of Error.
  const made = held(first, "constructor");
  return typeof made === "function" && !types.isProxy(made) ? held(made, "name") : "Error";
}

/** A fault of the runtime. What a step threw is no Error perhaps, and may be anything: its type alone is shown. */
function withoutThrown(parts: Extract<ValueParts, { kind: "record" }>): ValueParts {
  function* members(): Iterable<readonly [string, unknown]> {
    for (const [name, value] of parts.members)
      yield [name, name !== "cause" || types.isNativeError(value) ? value : `[${typeof value}]`];
  }
  return { ...parts, members: members() };
}

const ERROR_TEXTS = ["message", "stack", "cause", "errors"];

function unboxed(value: object): ValueParts {
  if (types.isNumberObject(value)) return { kind: "leaf", leaf: Number.prototype.valueOf.call(value) };
  if (types.isBooleanObject(value)) return { kind: "leaf", leaf: Boolean.prototype.valueOf.call(value) };
  if (types.isBigIntObject(value)) return { kind: "leaf", leaf: BigInt.prototype.valueOf.call(value) };
  if (types.isStringObject(value)) return { kind: "text", text: String.prototype.valueOf.call(value) };
  return word("[symbol]");
}
