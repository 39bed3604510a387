// The copy of one value in progress; redactor.ts has the rules.

import { REDACTED } from "#core/secrets/secret.js";
import { isHeadList, isSecretItem, type ListForm, namesSecret } from "#core/secrets/sensitive-items.js";
import { isSensitiveName } from "#core/secrets/sensitive-names.js";
import { withoutCredentials } from "#core/wire/credential-text.js";
import type { Json } from "#core/wire/json-text.js";
import { offersProtocols, shownProtocols } from "#core/wire/offered-protocols.js";
import { type ValueParts, valuePartsOf } from "../tree/value-parts.js";
import type { Place } from "./marked-places.js";

export interface RedactorBounds {
  /** Levels of lists and objects. Default 12. */
  readonly maxDepth?: number;
  /** Number of values, including lists and objects. Default 2000. */
  readonly maxValues?: number;
  /** Bytes of the copy as JSON in UTF-8; 64 or more. Default 16 384. */
  readonly maxBytes?: number;
  /** Characters of one text. Default 8192. */
  readonly maxText?: number;
  /** Shows exceptions with their own members. Default false: their class and code alone. */
  readonly errorMembers?: boolean;
}

export interface Redacted {
  readonly value: Json;
  /** True if values were left out because of a limit. */
  readonly isCut: boolean;
  /** True if JSON makes the whole value of the copy: nothing is masked, left out or of another kind. */
  readonly isExact: boolean;
}

type List = Extract<ValueParts, { kind: "list" }>;
type Members = Extract<ValueParts, { kind: "record" }>;

const LEAST = 40;
/** Size of a list's or object's brackets, and of `"...":"4294967295 more"` with a comma. */
const BRACKETS = 2;
const FRAME = BRACKETS + 32;
const MAX_KEY = 256;

/** A larger number takes seconds to convert to digits. */
const MAX_BIGINT = 1n << 4096n;

export class RedactedCopy {
  readonly #maxDepth: number;
  readonly #maxText: number;
  readonly #names: ReadonlySet<string>;
  readonly #errorMembers: boolean;
  readonly #path: object[] = [];
  #values: number;
  #bytes: number;
  #isCut = false;
  #isExact = true;
  /** True while the value of a member is copied that has names and values in turns. */
  #hasHeads = false;

  constructor(bounds: Required<RedactorBounds>, names: ReadonlySet<string>) {
    const { maxDepth, maxValues, maxBytes, maxText, errorMembers } = bounds;
    this.#maxDepth = maxDepth;
    this.#maxText = maxText;
    this.#values = maxValues;
    this.#bytes = maxBytes;
    this.#names = names;
    this.#errorMembers = errorMembers;
  }

  of(value: unknown, place: Place | undefined): Redacted {
    return this.#result(this.#copy(value, place));
  }

  /** Copies a value whose name decides in the absence of a schema. */
  named(value: unknown, name: string, place: Place | undefined): Redacted {
    return this.#result(offersProtocols(name) ? this.#protocols(value, place) : this.#copy(value, place));
  }

  #result(value: Json): Redacted {
    return { value, isCut: this.#isCut, isExact: this.#isExact && !this.#isCut };
  }

  #mask(): string {
    return this.#word(REDACTED);
  }

  /** Copies a comma-separated list in one text; any other form is masked. */
  #protocols(value: unknown, place: Place | undefined): Json {
    if (typeof value === "object" && value !== null) return this.#mask();
    if (typeof value !== "string" || place?.isMarked === true) return this.#copy(value, place);
    return this.#copy(shownProtocols(value), place);
  }

  #copy(value: unknown, place: Place | undefined): Json {
    this.#values -= 1;
    // hole: marked values would be shown in logs and traces
    if (place?.isMarked === true) return this.#mask();
    switch (typeof value) {
      case "string":
        return this.#text(value);
      case "number":
      case "boolean":
        return this.#leaf(value);
      case "bigint":
      case "undefined":
        return this.#inexact(this.#leaf(value ?? null));
      case "symbol":
        return this.#word("[symbol]");
      case "function":
        return this.#word("[function]");
      case "object":
        return value === null ? this.#leaf(null) : this.#object(value, place);
    }
  }

  #object(value: object, place: Place | undefined): Json {
    if (this.#path.includes(value)) return this.#word("[circular]");
    let parts: ValueParts;
    try {
      parts = valuePartsOf(value, this.#errorMembers);
    } catch {
      return this.#word("[unreadable]");
    }
    switch (parts.kind) {
      case "text":
        return this.#inexact(this.#text(parts.text));
      case "word":
        return this.#word(parts.word);
      case "leaf":
        return this.#inexact(this.#leaf(parts.leaf));
      case "secret":
        return this.#mask();
    }
    if (this.#path.length >= this.#maxDepth || this.#bytes < FRAME + LEAST) return this.#left(parts.kind);
    if (!isPlain(value)) this.#isExact = false;
    this.#path.push(value);
    this.#bytes -= FRAME;
    const made = parts.kind === "list" ? this.#list(parts, place) : this.#record(parts, place);
    this.#path.pop();
    if (!made.hasNote) this.#bytes += FRAME - BRACKETS;
    return made.json;
  }

  #list({ size, items, isOrdered }: List, place: Place | undefined): { json: Json; hasNote: boolean } {
    const form = this.#formOf(size);
    const json: Json[] = [];
    let at = 0;
    let before: unknown;
    for (const item of items) {
      if (!this.#hasRoom(1)) break;
      this.#bytes -= 1;
      const isSecret = isSecretItem(before, at, form);
      json.push(isSecret ? this.#mask() : this.#copy(item, place?.item(isOrdered ? at : undefined)));
      before = item;
      at += 1;
    }
    const hasNote = at < size;
    if (hasNote) json.push(this.#note(size - at));
    return { json, hasNote };
  }

  #formOf(size: number): ListForm {
    const hasHeads = this.#hasHeads;
    this.#hasHeads = false;
    if (hasHeads) return "heads";
    return size === 2 && Array.isArray(this.#path.at(-2)) ? "pair" : "plain";
  }

  #record({ size, members }: Members, place: Place | undefined): { json: Json; hasNote: boolean } {
    const json: { [key: string]: Json } = {};
    let taken = 0;
    let isNamed = false;
    for (const [name, value] of members) {
      const key = shownKey(name);
      if (key !== name) this.#isExact = false;
      const cost = jsonBytes(key) + 2;
      if (!this.#hasRoom(cost)) break;
      taken += 1;
      if (value === undefined) continue;
      isNamed ||= namesSecret(name, value);
      this.#bytes -= cost;
      // An assignment to "__proto__" would set the prototype.
      Object.defineProperty(json, key, {
        value: isNamed && name === "value" ? this.#mask() : this.#member(name, value, place),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    const hasNote = taken < size;
    if (hasNote) json["..."] = this.#note(size - taken);
    return { json, hasNote };
  }

  #member(name: string, value: unknown, place: Place | undefined): Json {
    const inner = place?.property(name);
    this.#hasHeads = isHeadList(name);
    const isSecret = isSensitiveName(name) || (inner === undefined && this.#names.has(name));
    if (!isSecret) return offersProtocols(name) ? this.#protocols(value, inner) : this.#copy(value, inner);
    this.#values -= 1;
    return this.#mask();
  }

  #hasRoom(bytes: number): boolean {
    return this.#values > 0 && this.#bytes >= bytes + LEAST;
  }

  #note(left: number): string {
    this.#isCut = true;
    return `${left} more`;
  }

  #left(kind: "list" | "record"): string {
    this.#isCut = true;
    return this.#word(kind === "list" ? "[list]" : "[object]");
  }

  #word(word: string): string {
    this.#isExact = false;
    this.#bytes -= word.length + 2;
    return word;
  }

  #inexact<T>(copy: T): T {
    this.#isExact = false;
    return copy;
  }

  #leaf(value: number | boolean | bigint | null): Json {
    if (typeof value === "bigint")
      return value < MAX_BIGINT && value > -MAX_BIGINT ? this.#text(String(value)) : this.#word("[bigint]");
    if (typeof value === "number" && !Number.isFinite(value)) return this.#word(String(value));
    this.#bytes -= String(value).length;
    return value;
  }

  /** Cuts the text to the remaining room. */
  #text(text: string): string {
    const room = Math.min(this.#bytes, this.#maxText);
    const isCut = text.length > room;
    const shown = withoutCredentials(isCut ? text.slice(0, room) : text, isCut);
    const isWhole = !isCut && jsonBytes(shown) <= room;
    if (!isWhole) this.#isCut = true;
    if (shown !== text) this.#isExact = false;
    const kept = isWhole ? shown : `${fitting(shown, room - MORE)}... of ${text.length} characters`;
    this.#bytes -= jsonBytes(kept);
    return kept;
  }
}

/** Suffix of a text that was cut. */
const MORE = "... of 4294967295 characters".length;

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));

/** The longest prefix of a text that fits. */
function fitting(text: string, bytes: number): string {
  let kept = text;
  for (let spent = jsonBytes(kept); spent > bytes; spent = jsonBytes(kept))
    kept = kept.slice(0, Math.min(kept.length - 1, Math.floor((kept.length * bytes) / spent)));
  return kept;
}

/** A list, or an object that JSON.parse could have made. */
function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function shownKey(name: string): string {
  const isCut = name.length > MAX_KEY;
  return withoutCredentials(isCut ? `${name.slice(0, MAX_KEY)}...` : name, isCut);
}
