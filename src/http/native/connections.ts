// Counts connections and closes new ones above the limit. The engine reports the start and the end
// of each; its response objects here differ from those of handlers.

import type { Reporter } from "#core/bus/reporter.js";
import type { NativeResponse } from "./port.js";

const REPORTED_EVERY_MS = 10_000;

export class Connections {
  count = 0;
  readonly #max: number;
  readonly #reporter: Reporter;
  #closed = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(max: number, reporter: Reporter) {
    this.#max = max;
    this.#reporter = reporter;
  }

  /** Counts the end of an upgraded connection, which the engine does not report to `changed`. */
  ended(): void {
    this.count -= 1;
  }

  /** For `App.filter`. */
  readonly changed = (response: Pick<NativeResponse, "close">, change: number): void => {
    this.count += change;
    if (change < 0 || this.count <= this.#max) return;
    this.#closed += 1;
    // Calls this function with -1 before it returns.
    response.close();
    const now = performance.now();
    if (now - this.#reportedAt < REPORTED_EVERY_MS) return;
    this.#reportedAt = now;
    const message = `Connections closed as they came: ${this.#closed}. There are ${this.#max} already, which is maxConnections`;
    this.#closed = 0;
    this.#reporter({ code: "CONNECTIONS_FULL", message });
  };
}
