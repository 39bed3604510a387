// Counts the connections, and closes those that come when there are enough. The engine
// tells of each as it begins and ends; its objects here are not those that handlers get.

import type { Reporter } from "#core/reporter.js";
import type { NativeResponse } from "./port.js";

/** A crowd that knocks is reported once in so many milliseconds. */
const REPORTED_EVERY_MS = 10_000;

export class Connections {
  count = 0;
  readonly #max: number;
  readonly #reporter: Reporter;
  /** How many were closed since the last report. */
  #closed = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(max: number, reporter: Reporter) {
    this.#max = max;
    this.#reporter = reporter;
  }

  /** One has ended that was upgraded: of those the engine tells nobody else. */
  ended(): void {
    this.count -= 1;
  }

  /** For `App.filter`. */
  readonly changed = (response: Pick<NativeResponse, "close">, change: number): void => {
    this.count += change;
    if (change < 0 || this.count <= this.#max) return;
    this.#closed += 1;
    // Which tells of its end, in this call.
    response.close();
    const now = performance.now();
    if (now - this.#reportedAt < REPORTED_EVERY_MS) return;
    this.#reportedAt = now;
    const message = `Connections closed as they came: ${this.#closed}. There are ${this.#max} already, which is maxConnections`;
    this.#closed = 0;
    this.#reporter({ code: "CONNECTIONS_FULL", message });
  };
}
