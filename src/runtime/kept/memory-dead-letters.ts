import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { DeadLetter, DeadLetterFilter, DeadLetterStore } from "#core/ports/dead-letter.js";

export interface MemoryDeadLettersOptions {
  /** Maximum number of letters; beyond it the oldest are evicted and counted. Default 10 000. */
  readonly maxLetters?: number;
}

/** Dead letters in the memory of this process. Their values are copied on the way in and out, if they can be. */
export class MemoryDeadLetters implements DeadLetterStore {
  readonly perProcess = "its dead letters in memory, which other processes do not see";
  /** Number of evicted letters. */
  dropped = 0;
  readonly #maxLetters: number;
  // In the order of their first failure.
  readonly #letters = new Map<string, DeadLetter>();

  constructor(options: MemoryDeadLettersOptions = {}) {
    requireKnownOptions("MemoryDeadLetters", options, ["maxLetters"]);
    const { maxLetters = 10_000 } = options;
    if (!Number.isSafeInteger(maxLetters) || maxLetters < 1)
      throw invalidOption(`MemoryDeadLetters({ maxLetters: ${maxLetters} })`, "use a whole number from 1");
    this.#maxLetters = maxLetters;
  }

  readonly send = (letter: DeadLetter): void => {
    // A known id keeps its place.
    this.#letters.set(letter.id, copied(letter));
    if (this.#letters.size <= this.#maxLetters) return;
    const [oldest] = this.#letters.keys();
    this.#letters.delete(oldest as string);
    this.dropped += 1;
  };

  readonly list = ({ limit = 100, ...filter }: DeadLetterFilter = {}): readonly DeadLetter[] =>
    this.#fitting(filter).slice(0, limit).map(copied);

  readonly count = (filter: DeadLetterFilter = {}): number =>
    filter.axon === undefined && filter.node === undefined
      ? this.#letters.size
      : this.#fitting(filter).length;

  readonly get = (id: string): DeadLetter | undefined => {
    const letter = this.#letters.get(id);
    return letter && copied(letter);
  };

  readonly remove = (id: string): boolean => this.#letters.delete(id);

  #fitting({ axon, node }: DeadLetterFilter): readonly DeadLetter[] {
    return [...this.#letters.values()].filter(
      (letter) => (axon ?? letter.axon) === letter.axon && (node ?? letter.node) === letter.node,
    );
  }
}

/** A copy of the letter: later changes of the original do not change it. */
const copied = (letter: DeadLetter): DeadLetter => ({
  ...letter,
  input: copyOf(letter.input),
  error: copyOf(letter.error),
  timeline: copyOf(letter.timeline) as DeadLetter["timeline"],
});

/** A deep copy of plain data, else the value itself: a partial copy would be worse. */
function copyOf(value: unknown): unknown {
  try {
    return isPlain(value, MAX_DEPTH, new Set()) ? structuredClone(value) : value;
  } catch {
    // A Proxy looks plain, and cannot be cloned.
    return value;
  }
}

const MAX_DEPTH = 100;

/** True if structuredClone loses nothing: it strips classes, getters, symbols and non-enumerable properties. */
function isPlain(value: unknown, depth: number, seen: Set<object>): boolean {
  if (typeof value !== "object" || value === null)
    return typeof value !== "function" && typeof value !== "symbol";
  if (seen.has(value)) return true;
  seen.add(value);
  if (depth === 0) return false;
  const prototype = Object.getPrototypeOf(value);
  if (prototype === Date.prototype) return true;
  if (prototype !== (Array.isArray(value) ? Array.prototype : Object.prototype)) return false;
  return Reflect.ownKeys(value).every((key) => {
    if (typeof key === "symbol") return false;
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (property === undefined || !("value" in property)) return false;
    return (property.enumerable || Array.isArray(value)) && isPlain(property.value, depth - 1, seen);
  });
}
