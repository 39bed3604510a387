// The number of stored dead letters, for the metrics: a scrape does not wait for a database. Of the
// processes of a server the first counts what they share, and each its own memory.

import type { DeadLetterStore } from "#core/ports/dead-letter.js";
import type { DeadLetters } from "./dead-letters.js";

/** Looks, of which the Inspector has one a second. */
const COUNTED_EVERY = 60;

export class LetterGauge {
  /** Undefined before it was counted, and where a store has no count or fails. */
  value: number | undefined;
  readonly #count: () => Promise<number | null>;
  #looks = 0;

  constructor(count: () => Promise<number | null>) {
    this.#count = count;
  }

  /** Never rejects, as the count. */
  async look(): Promise<void> {
    this.#looks += 1;
    if (this.#looks % COUNTED_EVERY === 1) this.value = (await this.#count()) ?? undefined;
  }
}

/** Undefined without a store that this worker counts. */
export function letterGaugeOf(
  stores: readonly DeadLetterStore[],
  worker: number,
  lettersOf: (stores: readonly DeadLetterStore[]) => Pick<DeadLetters, "count">,
): LetterGauge | undefined {
  const counted = stores.filter(({ perProcess }) => worker === 1 || perProcess !== undefined);
  if (counted.length === 0) return undefined;
  const letters = lettersOf(counted);
  return new LetterGauge(() => letters.count({}));
}
