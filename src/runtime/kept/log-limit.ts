// Bounds the log of a run that jumps: a resumption reads all of it. Only checkpoints are refused:
// a run whose log is full is still undone in it.

import { type Fault, fault } from "#core/bus/outcome.js";
import type { Reporter } from "#core/bus/reporter.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import type { Persistence } from "../definition/axon-definition.js";
import { encodedChars } from "./durable-value.js";

/** The share of a bound at which a run is reported. */
const NEARLY = 0.8;

export interface LimitedLog {
  readonly id: string;
  readonly axon: string;
  readonly persistence: Pick<Persistence, "maxLogEntries" | "maxLogChars">;
  readonly reporter: Reporter;
}

/** Size of a log: its entries, and the characters of their values. */
export interface LogSize {
  readonly entries: number;
  readonly chars: number;
}

export class LogLimit {
  readonly #of: LimitedLog;
  #entries: number;
  #chars: number;
  #isReported = false;

  constructor(of: LimitedLog, { entries, chars }: LogSize) {
    this.#of = of;
    this.#entries = entries;
    this.#chars = chars;
  }

  /** The fault of a run whose log takes no further checkpoint. */
  get full(): Fault<unknown> | undefined {
    const { id, persistence } = this.#of;
    const { maxLogEntries, maxLogChars } = persistence;
    if (this.#entries < maxLogEntries && this.#chars < maxLogChars) return undefined;
    const size = { entries: this.#entries, chars: this.#chars };
    return fault(runtimeFault({ code: "RUN_LOG_FULL", runId: id, ...size }));
  }

  /** Makes an entry, and counts it. */
  counted<T>(make: () => T): T {
    const made = this.measured(make);
    this.#entries += 1;
    this.#warn();
    return made;
  }

  /** Makes a part of the next entry. */
  measured<T>(make: () => T): T {
    const before = encodedChars();
    const made = make();
    this.#chars += encodedChars() - before;
    return made;
  }

  #warn(): void {
    const { id, axon, persistence, reporter } = this.#of;
    const { maxLogEntries, maxLogChars } = persistence;
    const isLong = this.#entries >= NEARLY * maxLogEntries || this.#chars >= NEARLY * maxLogChars;
    if (!isLong || this.#isReported) return;
    this.#isReported = true;
    const has = `${this.#entries} of ${maxLogEntries} entries and ${this.#chars} of ${maxLogChars} characters`;
    const message = `The log of run '${id}' of '${axon}' has ${has}: at the limit the run fails with RUN_LOG_FULL and is undone; let it jump less, begin another run for the rest, or raise maxLogEntries and maxLogChars of withPersistenceStore`;
    reporter({ code: "RUN_LOG_LONG", message, axon });
  }
}
