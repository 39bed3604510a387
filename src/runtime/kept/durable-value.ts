// Encodes values as JSON that decodes to an equal value (stored-value.ts). A value without a JSON
// form is written as {"$": [kind, ...]}. A value that would decode differently is refused. So is a
// large one: the run waits while its log is written.

import { isDeepStrictEqual } from "node:util";

import type { AnyKey } from "#core/bus/bus-key.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { Reply } from "#core/bus/reply.js";
import { isRuntimeFault } from "#core/bus/runtime-fault.js";
import type { Json } from "#core/wire/json-text.js";
import { MAX_VALUE_CHARS } from "../definition/persistence.js";

export class NotDurable extends Error {
  override readonly name = "NotDurable";
  /** The value and the place in it: "input.lines[0].price". */
  readonly path: string;
  /** The bound that the value exceeds; undefined if it is not its length. */
  readonly maxChars: number | undefined;

  constructor(path: string, what: string, maxChars?: number) {
    super(what);
    this.path = path;
    this.maxChars = maxChars;
  }
}

const MAX_DEPTH = 200;

let chars = 0;

/** Characters of all that was encoded so far: the difference of two calls is the size of what came between. */
export const encodedChars = (): number => chars;

/** `name` is the start of the path in an error. Throws NotDurable. */
export function encode(value: unknown, name = "value", maxChars = MAX_VALUE_CHARS): Json {
  const encoder = new Encoder(maxChars);
  try {
    const encoded = encoder.encode(value, name);
    chars += encoder.chars;
    return encoded;
  } catch (error) {
    throw error instanceof NotDurable ? error : new NotDurable(name, "an object that throws when it is read");
  }
}

/** The present values, by the names of their keys. Throws NotDurable. */
export function encodeBus(
  keys: readonly AnyKey[],
  read: (key: AnyKey) => unknown,
  maxChars: number,
): { readonly [key: string]: Json } {
  const values = keys.map((key) => [key.name, read(key)] as const);
  return Object.fromEntries(
    values.flatMap(([name, value]) => (value === undefined ? [] : [[name, encode(value, name, maxChars)]])),
  );
}

class Encoder {
  readonly #around = new Set<object>();
  readonly #maxChars: number;
  /** Those counted: at most the length of the text. */
  chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  encode(value: unknown, path: string): Json {
    this.#count(1, path);
    switch (typeof value) {
      case "string":
        this.#count(value.length, path);
        return value;
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : tagged("number", Object.is(value, -0) ? "-0" : String(value));
      case "undefined":
        return tagged("undefined");
      case "bigint":
        return tagged("bigint", this.#digits(value, path));
      case "object":
        return value === null ? null : this.#object(value, path);
      default:
        throw new NotDurable(path, `a ${typeof value}`);
    }
  }

  /** A lower bound of the text's length: a value that would fit is not refused. */
  #count(chars: number, path: string): void {
    this.chars += chars;
    if (this.chars <= this.#maxChars) return;
    const what = `a value of more than ${this.#maxChars} characters, counted up to here`;
    throw new NotDurable(path, what, this.#maxChars);
  }

  #digits(value: bigint, path: string): string {
    // Decimal conversion is slow. Its text is at least as long as the hexadecimal one.
    this.#count(value.toString(16).length, path);
    return String(value);
  }

  #bytes(bytes: Uint8Array, what: string, path: string): Json {
    this.#count(Math.ceil(bytes.length / 3) * 4, path);
    // Own properties would be lost. Listing the keys would make one per byte.
    const copy = what === "buffer" ? Buffer.from(bytes) : Uint8Array.from(bytes);
    if (!isDeepStrictEqual(bytes, copy)) throw new NotDurable(path, "bytes with properties of their own");
    return tagged(what, Buffer.from(bytes).toString("base64"));
  }

  #object(value: object, path: string): Json {
    if (this.#around.has(value)) throw new NotDurable(path, "an object that leads back to itself");
    if (this.#around.size >= MAX_DEPTH) throw new NotDurable(path, `nested deeper than ${MAX_DEPTH} levels`);
    this.#around.add(value);
    const encoded = this.#byPrototype(value, path);
    this.#around.delete(value);
    return encoded;
  }

  #byPrototype(value: object, path: string): Json {
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null)
      return this.#plain(value, prototype === null, path);
    if (prototype === Array.prototype) return this.#list(value as readonly unknown[], path);
    if (prototype === Buffer.prototype) return this.#bytes(value as Buffer, "buffer", path);
    if (prototype === Uint8Array.prototype) return this.#bytes(value as Uint8Array, "bytes", path);
    // A resumed run must return what the original run would have returned.
    if (value instanceof ProblemDetail) return tagged("problem", this.#plain({ ...value }, false, path));
    if (value instanceof Reply) return tagged("reply", this.#plain(partsOf(value, path), false, path));
    if (Reflect.ownKeys(value).length > 0) throw notDurable(value, path);
    if (prototype === Date.prototype) {
      const time = (value as Date).getTime();
      return tagged("date", Number.isNaN(time) ? null : time);
    }
    const isMap = prototype === Map.prototype;
    if (!isMap && prototype !== Set.prototype) throw notDurable(value, path);
    const inside = (item: unknown): Json => this.encode(item, `${path}{}`);
    if (!isMap) return tagged("set", [...(value as ReadonlySet<unknown>)].map(inside));
    const pairs = [...(value as ReadonlyMap<unknown, unknown>)];
    return tagged(
      "map",
      pairs.map((pair) => pair.map(inside)),
    );
  }

  #plain(value: object, isBare: boolean, path: string): Json {
    const entries = Reflect.ownKeys(value).map((key) => {
      if (typeof key === "symbol") throw new NotDurable(path, "an object with a symbol for a key");
      this.#count(key.length + 2, path);
      const property = Object.getOwnPropertyDescriptor(value, key);
      const at = `${path}.${key}`;
      if (property === undefined || !("value" in property) || !property.enumerable)
        throw new NotDurable(at, "a property that is computed or hidden");
      return [key, this.encode(property.value, at)] as const;
    });
    if (isBare || Object.hasOwn(value, "$")) return tagged(isBare ? "bare" : "object", entries);
    return Object.fromEntries(entries);
  }

  #list(list: readonly unknown[], path: string): Json {
    // Before its keys are listed.
    this.#count(list.length, path);
    // Only its indices and `length`: no holes either.
    if (Reflect.ownKeys(list).length !== list.length + 1)
      throw new NotDurable(path, "a list with holes, or with properties of its own");
    return list.map((item, i) => this.encode(item, `${path}[${i}]`));
  }
}

/** A cookie may be a credential, and logs have many readers. */
function partsOf({ status, headers, body, length }: Reply<unknown>, path: string): object {
  if (headers["set-cookie"] !== undefined || length !== undefined)
    throw new NotDurable(path, "a reply with a cookie, or with a stream");
  return { status, headers: { ...headers }, body };
}

const tagged = (what: string, ...rest: readonly Json[]): Json => ({ $: [what, ...rest] });

function notDurable(value: object, path: string): NotDurable {
  const made = (value as { readonly constructor?: unknown }).constructor;
  const name = typeof made === "function" ? made.name : "";
  return new NotDurable(path, name === "" ? "an object of a class" : `an instance of ${name}`);
}

/** The error of a run, as exactly as it can be stored, for later inspection. */
export function encodeError(error: unknown): Json {
  try {
    if (!isRuntimeFault(error)) return encode(error);
    const fields = Object.entries(error).map(([name, value]) => [name, encodeError(value)] as const);
    return tagged("fault", Object.fromEntries(fields));
  } catch {
    return inWords(error);
  }
}

const MAX_WORD_CHARS = 65_536;

function inWords(error: unknown): Json {
  try {
    const cut = (text: unknown): string => String(text).slice(0, MAX_WORD_CHARS);
    if (error instanceof Error) return { name: cut(error.name), message: cut(error.message) };
    let chars = 0;
    const counted = (name: string, value: unknown): unknown => {
      chars += name.length + (typeof value === "string" ? value.length : 1);
      if (chars > MAX_VALUE_CHARS) throw new RangeError("Too large");
      return value;
    };
    // Its property names may come from a client: "$" is a possible name.
    return encode(JSON.parse(JSON.stringify(error, counted) ?? "null"));
  } catch {
    return `What was thrown, of type ${typeof error}, cannot be shown as text`;
  }
}
