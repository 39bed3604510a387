// Copies metadata as plain JSON, or states why it cannot be kept unchanged. Nothing is truncated or
// converted: the hash covers exactly the program's data.

import { types } from "node:util";

import type { Json } from "#core/wire/json-text.js";
import { visible } from "#core/wire/visible-text.js";

export const MAX_METADATA_BYTES = 65_536;
/** Maximum depth of lists and objects: deeper JSON may overflow a reader's stack. */
const MAX_DEPTH = 32;

const LONE = /\p{Surrogate}/u;

/** Why a value cannot be kept, and the path to it. */
export class NotPlain extends Error {}

/** Throws NotPlain. Refuses getters, and calls no other code of the value. */
export function plainJson(value: unknown, path: string): Json {
  return new PlainCopy().of(value, path);
}

/** Well-formed Unicode without NUL: databases change other texts. */
export const isKeptText = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text);

class PlainCopy {
  readonly #above: object[] = [];
  #bytes = 0;

  of(value: unknown, path: string): Json {
    switch (typeof value) {
      case "string":
        if (LONE.test(value)) throw new NotPlain(`${path} has a lone surrogate`);
        this.#spend(value.length + 2, path);
        return value;
      case "number":
        if (!Number.isFinite(value)) throw new NotPlain(`${path} is ${value}`);
        this.#spend(1, path);
        // JSON has no -0: RFC 8785 writes it as 0.
        return value + 0;
      case "boolean":
        this.#spend(4, path);
        return value;
      case "object":
        return value === null ? this.#null(path) : this.#inside(value, path);
      default:
        throw new NotPlain(`${path} is ${typeof value === "undefined" ? "" : "a "}${typeof value}`);
    }
  }

  #null(path: string): null {
    this.#spend(4, path);
    return null;
  }

  #inside(value: object, path: string): Json {
    if (this.#above.includes(value)) throw new NotPlain(`${path} is a cycle`);
    if (this.#above.length >= MAX_DEPTH) throw new NotPlain(`${path} is nested deeper than ${MAX_DEPTH}`);
    this.#spend(2, path);
    this.#above.push(value);
    const copy = Array.isArray(value) ? this.#list(value, path) : this.#record(value, path);
    this.#above.pop();
    return copy;
  }

  #list(list: readonly unknown[], path: string): Json {
    // Visiting the holes of a sparse list would take seconds.
    this.#spend(list.length, path);
    return Array.from(list, (item, at) => this.of(item, `${path}[${at}]`));
  }

  #record(record: object, path: string): Json {
    const prototype: unknown = types.isProxy(record) ? undefined : Object.getPrototypeOf(record);
    if (prototype !== null && prototype !== Object.prototype)
      throw new NotPlain(`${path} is no plain object or list`);
    const copy: Record<string, Json> = {};
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(record))) {
      const where = `${path}.${visible(name)}`;
      if (get !== undefined) throw new NotPlain(`${where} is a getter`);
      if (value === undefined) continue;
      if (LONE.test(name)) throw new NotPlain(`${where}: its name has a lone surrogate`);
      this.#spend(name.length + 4, where);
      // Assigning "__proto__" would set the prototype.
      Object.defineProperty(copy, name, { value: this.of(value, where), enumerable: true });
    }
    return copy;
  }

  /** Called before the copy is made, with the minimum size of its JSON. */
  #spend(bytes: number, path: string): void {
    this.#bytes += bytes;
    if (this.#bytes > MAX_METADATA_BYTES)
      throw new NotPlain(`metadata has more than ${MAX_METADATA_BYTES} bytes at ${path}`);
  }
}
