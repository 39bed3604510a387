// Dead letters as text. A letter is never refused for a value in it: a text takes the place of each
// part of its inputs that is no durable value, and `lost` names these parts.

import type { DeadLetter, UndoneStep } from "#core/ports/dead-letter.js";
import type { Json } from "#core/wire/json-text.js";
import { encode, encodeError, NotDurable } from "#runtime/kept/durable-value.js";
import { decode } from "#runtime/kept/stored-value.js";

type Encoded = "input" | "error" | "timeline" | "undone";

interface StoredLetter extends Omit<DeadLetter, Encoded> {
  readonly input: Json;
  readonly error: Json;
  readonly timeline: Json;
  readonly undone: readonly (Omit<UndoneStep, "input"> & { readonly input: Json })[];
}

export function textOfLetter({ input, error, timeline, undone, lost = [], ...rest }: DeadLetter): string {
  const losses = new Losses(lost);
  const stored: StoredLetter = {
    ...rest,
    input: losses.encode(input, "input"),
    error: encodeError(error),
    timeline: encode(timeline, "timeline", Number.MAX_SAFE_INTEGER),
    undone: undone.map(({ input, ...step }, at) => ({
      ...step,
      input: losses.encode(input, `undone[${at}].input`),
    })),
    ...(losses.named.length > 0 && { lost: losses.named }),
  };
  return JSON.stringify(stored);
}

/** Throws where the text is of other hands. */
export function letterIn(text: string): DeadLetter {
  const { input, error, timeline, undone, ...rest } = JSON.parse(text) as StoredLetter;
  return {
    ...rest,
    input: decode(input),
    error: decode(error),
    timeline: decode(timeline) as DeadLetter["timeline"],
    undone: undone.map(({ input, ...step }) => ({ ...step, input: decode(input) })),
  };
}

/** Levels of a value below which parts are no longer told apart. */
const MAX_LEVELS = 4;
const MAX_MEMBERS = 1000;
const MAX_NAMED = 20;

class Losses {
  readonly named: string[];

  constructor(known: readonly string[]) {
    this.named = [...known];
  }

  encode(value: unknown, path: string): Json {
    try {
      return encode(this.#durable(value, path, MAX_LEVELS), path);
    } catch (error) {
      return this.#lose(path, error);
    }
  }

  /** The value itself, or a copy with texts in the place of what is not durable. */
  #durable(value: unknown, path: string, levels: number): unknown {
    try {
      encode(value, path);
      return value;
    } catch (error) {
      if (levels === 0 || !(error instanceof NotDurable)) return this.#lose(path, error);
      const inside = (member: unknown, at: string) => this.#durable(member, at, levels - 1);
      if (Array.isArray(value) && value.length <= MAX_MEMBERS)
        return Array.from(value, (member, at) => inside(member, `${path}[${at}]`));
      const members = membersOf(value);
      if (members === undefined) return this.#lose(path, error);
      return Object.fromEntries(members.map(([key, member]) => [key, inside(member, `${path}.${key}`)]));
    }
  }

  #lose(path: string, error: unknown): string {
    const what = error instanceof NotDurable ? error.message : "it throws when it is read";
    if (this.named.length < MAX_NAMED) this.named.push(`${path}: ${what}`);
    return `(not kept: ${what})`;
  }
}

/** Of a plain object of few members that are all plain properties. */
function membersOf(value: unknown): readonly (readonly [string, unknown])[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const properties = Object.entries(Object.getOwnPropertyDescriptors(value));
  if (properties.length > MAX_MEMBERS) return undefined;
  if (properties.some(([, property]) => !("value" in property))) return undefined;
  return properties.map(([key, { value: member }]) => [key, member]);
}
