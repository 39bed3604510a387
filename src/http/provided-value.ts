// A value that `provide` makes for each run, before the first step that declares it.
//
//   PV1. It is made before the step, whether the step will read it or not. Only then a
//        function may answer at once in one run and a promise in the next (a cache): a
//        read cannot wait, and a step that is begun again would do twice what it did
//        before it read. No function tells beforehand that it never answers a promise.
//   PV2. A read that nobody declared makes it there and then, where that takes no time.

import type { BusView } from "#core/bus.js";
import type { AnyKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { pendingOf } from "#runtime/answers.js";
import type { Lazy } from "#runtime/bus-layout.js";
import type { Instruction } from "#runtime/instruction.js";
import type { RunBus } from "#runtime/run-bus.js";

/** One call of `provide`. */
export interface Provision {
  readonly key: AnyKey;
  readonly reads: readonly AnyKey[];
  readonly make: (bus: BusView<AnyKey, AnyKey>) => unknown;
}

export class ProvidedValue {
  readonly #provision: Provision;
  /** The provided values that it is made from. */
  readonly #reads: readonly ProvidedValue[];

  constructor(provision: Provision, reads: readonly ProvidedValue[]) {
    this.#provision = provision;
    this.#reads = reads;
  }

  /** Makes it at a read that came before it (PV2). */
  readonly lazy: Lazy = ({ bus }) => {
    const { key, make } = this.#provision;
    const value = make(bus);
    const pending = pendingOf(value);
    if (pending === undefined) return this.#required(value);
    pending.catch(() => {});
    throw new FrameworkError(
      "PROVIDE_INVALID",
      `'${key.name}' takes time to make, and nothing declared that it is read: name it in 'reads'`,
    );
  };

  /** Makes it before a step that declares it (PV1). */
  readonly step: Instruction["step"] = {
    run: (input, bus) => {
      const { state } = bus;
      if (state.values[state.slotOf(this.#provision.key)] !== undefined) return input;
      const made = this.#makeAfter(this.#reads, bus);
      return made === undefined ? input : made.then(() => input);
    },
  };

  #makeAfter(reads: readonly ProvidedValue[], bus: RunBus): Promise<unknown> | undefined {
    for (const [i, read] of reads.entries()) {
      const made = read.step.run(undefined, bus);
      if (made instanceof Promise) return made.then(() => this.#makeAfter(reads.slice(i + 1), bus));
    }
    return this.#make(bus);
  }

  #make(bus: RunBus): Promise<unknown> | undefined {
    const value = this.#provision.make(bus);
    const pending = pendingOf(value);
    if (pending !== undefined) return pending.then((settled) => this.#put(settled, bus));
    this.#put(value, bus);
    return undefined;
  }

  #put(value: unknown, bus: RunBus): void {
    bus.set(this.#provision.key, this.#required(value) as never);
  }

  #required(value: unknown): unknown {
    if (value !== undefined) return value;
    throw new FrameworkError(
      "PROVIDE_INVALID",
      `provide('${this.#provision.key.name}') made nothing: return a value`,
    );
  }
}
