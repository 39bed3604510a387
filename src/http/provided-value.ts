// A value that `provide` makes for each run, at its first read or, where making it
// takes time, before the first step that declares it.
//
//   PV1. Which of the two shows when it is made: an async function takes time, and so
//        does what reads such a value. Of any other function the first answer tells,
//        so until then it is called before the step, and nobody reads a promise.

import type { BusView } from "#core/bus.js";
import type { AnyKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import type { Lazy } from "#runtime/bus-layout.js";
import type { Instruction } from "#runtime/instruction.js";
import type { RunBus } from "#runtime/run-bus.js";

/** One call of `provide`. */
export interface Provision {
  readonly key: AnyKey;
  readonly reads: readonly AnyKey[];
  readonly make: (bus: BusView<AnyKey, AnyKey>) => unknown;
}

type Pace = "unknown" | "at-once" | "later";

export class ProvidedValue {
  readonly #provision: Provision;
  /** The provided values that it is made from. */
  readonly #reads: readonly ProvidedValue[];
  #pace: Pace;

  constructor(provision: Provision, reads: readonly ProvidedValue[]) {
    this.#provision = provision;
    this.#reads = reads;
    this.#pace = provision.make.constructor.name === "AsyncFunction" ? "later" : "unknown";
  }

  /** Makes it at its first read, where that is known to be possible. */
  readonly lazy: Lazy = ({ bus }) => {
    if (!this.#isLazy) return undefined;
    const value = this.#provision.make(bus);
    if (!isPending(value)) return this.#required(value);
    this.#pace = "later";
    Promise.resolve(value).catch(() => {});
    throw new FrameworkError(
      "PROVIDE_INVALID",
      `provide('${this.#provision.key.name}') answered a promise where it had answered at once before: make it an async function`,
    );
  };

  /** Makes it before a step that declares it, unless its first read will. */
  readonly step: Instruction["step"] = {
    run: (input, bus) => {
      if (this.#isLazy || bus.find(this.#provision.key) !== undefined) return input;
      const made = this.#makeAfter(this.#reads, bus);
      return isPending(made) ? made.then(() => input) : input;
    },
  };

  get #isLazy(): boolean {
    return this.#pace === "at-once" && this.#reads.every((read) => read.#isLazy);
  }

  #makeAfter(reads: readonly ProvidedValue[], bus: RunBus): unknown {
    for (const [i, read] of reads.entries()) {
      const made = read.step.run(undefined, bus);
      if (isPending(made)) return made.then(() => this.#makeAfter(reads.slice(i + 1), bus));
    }
    return this.#make(bus);
  }

  #make(bus: RunBus): unknown {
    const { key, make } = this.#provision;
    const value = make(bus);
    if (isPending(value)) {
      this.#pace = "later";
      // A foreign thenable may answer anything from `then`.
      return Promise.resolve(value).then((settled) => bus.set(key, this.#required(settled) as never));
    }
    if (this.#pace === "unknown") this.#pace = "at-once";
    bus.set(key, this.#required(value) as never);
    return undefined;
  }

  #required(value: unknown): unknown {
    if (value !== undefined) return value;
    throw new FrameworkError(
      "PROVIDE_INVALID",
      `provide('${this.#provision.key.name}') made nothing: return a value`,
    );
  }
}

const isPending = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
