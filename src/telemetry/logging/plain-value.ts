// Converts any value to plain JSON: without cycles, bounded, and without throwing, whatever its
// getters, proxies and toJSON do.

import { REDACTED } from "#core/secrets/secret.js";
import { isHeadList, isSecretItem, type ListForm, namesSecret } from "#core/secrets/sensitive-items.js";
import { isSensitiveName } from "#core/secrets/sensitive-names.js";
import { withoutCredentials } from "#core/wire/credential-text.js";
import { offersProtocols, shownProtocols } from "#core/wire/offered-protocols.js";
import { type Names, namesOf } from "#schema/tree/listed-names.js";

/** Limits of one line. A note replaces what is cut. */
const MAX_DEPTH = 8;
const MAX_MEMBERS = 100;
const MAX_VALUES = 1000;
const MAX_TEXT = 8192;
const MAX_CHARACTERS = 65_536;
const MAX_KEY = 256;
/** A longer number takes seconds to convert to digits. */
const MAX_BIGINT = 1n << 4096n;

export type Plain = string | number | boolean | null | readonly Plain[] | PlainObject;
export interface PlainObject {
  readonly [key: string]: Plain;
}

/** Converts the values of one line within shared limits. */
export class PlainValues {
  readonly #hidden: ReadonlySet<string>;
  #values = MAX_VALUES;
  #characters = MAX_CHARACTERS;
  readonly #path: object[] = [];
  /** True while the value of a member is taken that has names and values in turns. */
  #hasHeads = false;

  /** Redacts members with these names, and with the names of secrets. */
  constructor(hidden: ReadonlySet<string>) {
    this.#hidden = hidden;
  }

  of(value: unknown): Plain {
    try {
      return this.#plain(value);
    } catch (error) {
      return `[threw ${thrownText(error)}]`;
    }
  }

  text(text: string): string {
    const room = Math.min(MAX_TEXT, this.#characters);
    const kept = text.length <= room ? text : text.slice(0, room);
    this.#characters -= kept.length;
    return kept.length === text.length ? kept : `${kept}... ${text.length - kept.length} more`;
  }

  #plain(value: unknown): Plain {
    this.#values -= 1;
    if (this.#values < 0) return "[...]";
    switch (typeof value) {
      case "string":
        return this.masked(value);
      case "number":
        return Number.isFinite(value) ? value : String(value);
      case "boolean":
        return value;
      case "bigint":
        return value < MAX_BIGINT && value > -MAX_BIGINT ? this.text(String(value)) : "[bigint]";
      case "symbol":
        return this.text(String(value));
      case "function":
        return this.text(`[function ${String(value.name)}]`);
      case "undefined":
        return null;
      case "object":
        return value === null ? null : this.#object(value);
    }
  }

  /** Masks secrets within a text. */
  masked(text: string): string {
    const kept = this.text(text);
    return withoutCredentials(kept, kept.length < text.length);
  }

  #object(value: object): Plain {
    if (this.#path.includes(value)) return "[circular]";
    if (this.#path.length >= MAX_DEPTH) return Array.isArray(value) ? "[array]" : "[object]";
    this.#path.push(value);
    try {
      return this.#members(value);
    } finally {
      this.#path.pop();
    }
  }

  #members(value: object): Plain {
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
    if (value instanceof Error) return this.#error(value);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") return this.of(toJSON.call(value));
    if (value instanceof Map) return this.#items(value.size, this.#entries(value));
    if (value instanceof Set) return this.#items(value.size, value);
    if (Array.isArray(value)) return this.#items(value.length, value);
    return this.#record(namesOf(value), (key) => (value as Record<string, unknown>)[key]);
  }

  #error(error: Error): Plain {
    const listed = namesOf(error);
    const own = listed.names.filter((key) => !ERROR_MEMBERS.includes(key));
    const given = ERROR_MEMBERS.filter((key) => key in error);
    const read = (key: string): unknown =>
      key === "type" ? error.name : (error as unknown as Record<string, unknown>)[key];
    const names = ["type", ...given, ...own];
    return this.#record({ names, size: names.length + listed.size - listed.names.length }, read);
  }

  #items(size: number, items: Iterable<unknown>): Plain {
    const form = this.#formOf(size);
    const made: Plain[] = [];
    let before: unknown;
    for (const item of items) {
      if (made.length === MAX_MEMBERS || this.#values <= 0) break;
      made.push(isSecretItem(before, made.length, form) ? REDACTED : this.of(item));
      before = item;
    }
    if (made.length < size) made.push(`[${size - made.length} more]`);
    return made;
  }

  #formOf(size: number): ListForm {
    const hasHeads = this.#hasHeads;
    this.#hasHeads = false;
    if (hasHeads) return "heads";
    return size === 2 && Array.isArray(this.#path.at(-2)) ? "pair" : "plain";
  }

  #record({ names, size }: Names, read: (key: string) => unknown): PlainObject {
    const made: Record<string, Plain> = {};
    let left = size;
    let isNamed = false;
    for (const key of names) {
      if (size - left === MAX_MEMBERS || this.#values <= 0) break;
      left -= 1;
      const given = this.#read(key, read);
      isNamed ||= namesSecret(key, given);
      const isSecret = isNamed && key === "value";
      const value = given === undefined ? undefined : isSecret ? REDACTED : this.#shown(key, given);
      this.#hasHeads = isHeadList(key);
      // An assignment to "__proto__" would set the prototype.
      if (value !== undefined)
        Object.defineProperty(made, this.#key(key), {
          value: this.of(value),
          enumerable: true,
          configurable: true,
          writable: true,
        });
    }
    if (left > 0) made["..."] = `${left} more`;
    return made;
  }

  #shown(key: string, value: unknown): unknown {
    // hole: passwords would be logged
    if (this.#hidden.has(key) || isSensitiveName(key)) return REDACTED;
    if (!offersProtocols(key)) return value;
    return typeof value === "string" ? shownProtocols(value) : REDACTED;
  }

  *#entries(map: ReadonlyMap<unknown, unknown>): Iterable<readonly [unknown, unknown]> {
    for (const [key, value] of map) yield [key, typeof key === "string" ? this.#shown(key, value) : value];
  }

  #read(key: string, read: (key: string) => unknown): unknown {
    try {
      return read(key);
    } catch (error) {
      return `[threw ${thrownText(error)}]`;
    }
  }

  #key(key: string): string {
    const kept = key.length <= MAX_KEY ? key : `${key.slice(0, MAX_KEY)}...`;
    this.#characters -= kept.length;
    return kept;
  }
}

const ERROR_MEMBERS = ["message", "code", "stack", "cause", "errors"];

/** A proxy may throw even here. */
export function isError(value: object): boolean {
  try {
    return value instanceof Error;
  } catch {
    return false;
  }
}

const MAX_THROWN = 200;

/** The text of an error that a getter threw; that text may throw again. */
function thrownText(thrown: unknown): string {
  try {
    return (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).slice(
      0,
      MAX_THROWN,
    );
  } catch {
    return "something that has no text";
  }
}
