// The number of stored dead letters, for the metrics: a scrape does not wait for a database. Of the
// processes of a server the first counts what they share, and each its own memory.

import type { DeadLetters } from "./dead-letters.js";

/** Looks, of which the Inspector has one a second. */
const COUNTED_EVERY = 60;

export class LetterGauge {
  /** Undefined before it was counted, and where a store has no count or fails. */
  value: number | undefined;
  readonly #letters: Pick<DeadLetters, "count">;
  #looks = 0;

  constructor(letters: Pick<DeadLetters, "count">) {
    this.#letters = letters;
  }

  /** Never rejects, as the count. */
  async look(): Promise<void> {
    this.#looks += 1;
    if (this.#looks % COUNTED_EVERY === 1) this.value = (await this.#letters.count({})) ?? undefined;
  }
}
