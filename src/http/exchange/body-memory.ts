import { bodyMemoryFor } from "#core/ports/body-memory.js";
import { Refusal } from "../refusal/refusal.js";

export interface BodyMemoryLimits {
  /** Undefined for the default. */
  readonly maxBodyBytesInFlight: number | undefined;
  readonly workers: number | "auto";
}

export const bodyMemoryOf = ({ maxBodyBytesInFlight, workers }: BodyMemoryLimits): number =>
  maxBodyBytesInFlight ?? bodyMemoryFor(workers);

/** Refuses a body for which the bodies of other requests leave no room. */
export const BODIES_FULL = new Refusal("OVERLOADED", {
  detail: "The bodies of other requests leave no room for this one",
  headers: { "retry-after": "1" },
});

/** Counts the bytes that the bodies of all requests take in memory. */
export class BodyMemory {
  used = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Changes the share of one body. Returns false, and changes nothing, if it grows above the limit. */
  change(from: number, to: number): boolean {
    if (to > from && this.used + to - from > this.#max) return false;
    this.used += to - from;
    return true;
  }
}
