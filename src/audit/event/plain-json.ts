// Metadata as plain JSON. What only the program chooses, such as a Date, is refused; what a client
// can choose is made to fit: texts are escaped, and what is too large or too deep becomes the
// beginning of its JSON, with the hash of the whole.

import { types } from "node:util";

import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";
import { visible } from "#core/wire/visible-text.js";
import { cutText, escapedText, isCut } from "./fitting-text.js";

export const MAX_METADATA_BYTES = 65_536;
/** Maximum depth of lists and objects: deeper JSON may overflow a reader's stack. */
const MAX_DEPTH = 32;
/** Of the JSON that stands in a text for metadata that is too large: as a text, and sealed, a byte may become three. */
const MAX_CUT_BYTES = 20_000;
/** Limits of the copy that is cut: nothing that a client sends is larger. */
const OVERSIZE = { bytes: 1 << 28, depth: 500 };

/** The only member of metadata that was too large. */
export const TOO_LARGE = "(too large)" as const;

/** Why a value cannot be kept, and the path to it. */
export class NotPlain extends Error {}

class Oversize extends NotPlain {}

export interface FittingMetadata {
  readonly json: { readonly [name: string]: Json };
  /** Canonical JSON. */
  readonly text: string;
  /** False for metadata that was cut: no schema fits it. */
  readonly isWhole: boolean;
}

/** Throws NotPlain. Refuses getters, and calls no other code of the value. */
export function fittingMetadata(metadata: unknown): FittingMetadata {
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata))
    throw new NotPlain("metadata is no object");
  const of = (json: Json) => ({ json: json as FittingMetadata["json"], text: canonicalJson(json) });
  try {
    const whole = of(new PlainCopy(MAX_METADATA_BYTES, MAX_DEPTH).of(metadata, "metadata"));
    const known = whole.json[TOO_LARGE];
    const seemsCut = typeof known === "string" && isCut(known);
    if (!seemsCut && Buffer.byteLength(whole.text) <= MAX_METADATA_BYTES) return { ...whole, isWhole: true };
  } catch (error) {
    if (!(error instanceof Oversize)) throw error;
  }
  const whole = canonicalJson(new PlainCopy(OVERSIZE.bytes, OVERSIZE.depth).of(metadata, "metadata"));
  return { ...of(cutMetadata(whole)), isWhole: false };
}

/** What stands for metadata of this canonical JSON. */
export const cutMetadata = (text: string): { readonly [TOO_LARGE]: string } => ({
  [TOO_LARGE]: cutText(text, MAX_CUT_BYTES),
});

class PlainCopy {
  readonly #maxBytes: number;
  readonly #maxDepth: number;
  readonly #above: object[] = [];
  #bytes = 0;

  constructor(maxBytes: number, maxDepth: number) {
    this.#maxBytes = maxBytes;
    this.#maxDepth = maxDepth;
  }

  of(value: unknown, path: string): Json {
    switch (typeof value) {
      case "string":
        this.#spend(value.length + 2, path);
        return escapedText(value);
      case "number":
        // A client writes 1e999.
        if (!Number.isFinite(value)) return String(value);
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
    if (this.#above.length >= this.#maxDepth)
      throw new Oversize(`metadata is nested deeper than ${this.#maxDepth}`);
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
      this.#spend(name.length + 4, where);
      // Assigning "__proto__" would set the prototype.
      Object.defineProperty(copy, escapedText(name), { value: this.of(value, where), enumerable: true });
    }
    return copy;
  }

  /** Called before the copy is made, with the minimum size of its JSON. */
  #spend(bytes: number, path: string): void {
    this.#bytes += bytes;
    if (this.#bytes > this.#maxBytes)
      throw new Oversize(`metadata has more than ${this.#maxBytes} bytes at ${path}`);
  }
}
