import type { DeadLetter, DeadLetterFilter, DeadLetterStore } from "#core/dead-letter.js";
import { FrameworkError } from "#core/errors.js";

export interface MemoryDeadLettersOptions {
  /** Letters kept at once; beyond, the oldest are dropped and counted. Default 10 000. */
  readonly maxLetters?: number;
}

/** Dead letters in this process, gone with it. What they hold is copied where it can be. */
export class MemoryDeadLetters implements DeadLetterStore {
  /** How many were dropped to make room. */
  dropped = 0;
  readonly #maxLetters: number;
  // In the order in which they failed.
  readonly #letters = new Map<string, DeadLetter>();

  constructor({ maxLetters = 10_000 }: MemoryDeadLettersOptions = {}) {
    if (!Number.isSafeInteger(maxLetters) || maxLetters < 1) {
      const call = `MemoryDeadLetters({ maxLetters: ${maxLetters} })`;
      throw new FrameworkError("CONFIG_INVALID", `${call}: use a whole number from 1`);
    }
    this.#maxLetters = maxLetters;
  }

  readonly send = (letter: DeadLetter): void => {
    this.#letters.delete(letter.id);
    this.#letters.set(letter.id, { ...letter, input: copied(letter.input), error: copied(letter.error) });
    if (this.#letters.size <= this.#maxLetters) return;
    const [oldest] = this.#letters.keys();
    this.#letters.delete(oldest as string);
    this.dropped += 1;
  };

  readonly list = ({ axon, node, limit = 100 }: DeadLetterFilter = {}): readonly DeadLetter[] =>
    [...this.#letters.values()]
      .filter((letter) => (axon ?? letter.axon) === letter.axon && (node ?? letter.node) === letter.node)
      .slice(0, limit);

  readonly get = (id: string): DeadLetter | undefined => this.#letters.get(id);

  readonly remove = (id: string): boolean => this.#letters.delete(id);
}

/** As it is now: who goes on to change the value does not change the letter. */
function copied(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  // A copy of anything else would have lost what its class gives it.
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return value;
  try {
    return structuredClone(value);
  } catch {
    // It holds a function or the like: better the value itself than none.
    return value;
  }
}
