// The book of a bank, as far as a transfer needs one: a file that outlives the process, with each
// transfer once.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export interface Booked {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly cents: number;
}

export class Book {
  readonly #file: string;
  readonly #takesMs: number;

  constructor(file: string, takesMs = 0) {
    this.#file = file;
    this.#takesMs = takesMs;
  }

  async post({ id, from, to, cents }: Booked): Promise<void> {
    await pause(this.#takesMs);
    if (this.all().some((booked) => booked.id === id)) return;
    appendFileSync(this.#file, `${JSON.stringify({ id, from, to, cents })}\n`);
  }

  all(): readonly Booked[] {
    if (!existsSync(this.#file)) return [];
    return readFileSync(this.#file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
  }
}
