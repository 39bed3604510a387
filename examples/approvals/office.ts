// An office, as far as a claim needs one: a file that outlives the process, with each payment and
// each message once.

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

export interface Entry {
  readonly kind: "payment" | "message";
  /** The claim. */
  readonly claim: string;
  readonly to: string;
  readonly cents?: number;
}

export class Office {
  readonly #file: string;
  readonly #paysAfterMs: number;

  constructor(file: string, paysAfterMs = 0) {
    this.#file = file;
    this.#paysAfterMs = paysAfterMs;
  }

  async tell(to: "manager" | "director", claim: string): Promise<void> {
    this.#once({ kind: "message", claim, to });
  }

  /** The money moves, and some time later the answer arrives: between the two a process may be killed. */
  async pay(claim: string, to: string, cents: number): Promise<string> {
    this.#once({ kind: "payment", claim, to, cents });
    await pause(this.#paysAfterMs);
    return `receipt-${claim}`;
  }

  all(): readonly Entry[] {
    if (!existsSync(this.#file)) return [];
    // Another process may have made the file, and not written to it yet.
    const lines = readFileSync(this.#file, "utf8")
      .split("\n")
      .filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line));
  }

  #once(entry: Entry): void {
    const isSame = ({ kind, claim, to }: Entry): boolean =>
      kind === entry.kind && claim === entry.claim && to === entry.to;
    if (!this.all().some(isSame)) appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}
