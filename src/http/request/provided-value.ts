import { FrameworkError } from "#core/errors.js";
import { pendingOf } from "#runtime/run/answers.js";
import type { Lazy } from "#runtime/run/bus-layout.js";
import type { Instruction } from "#runtime/run/instruction.js";
import type { RunBus } from "#runtime/run/run-state.js";
import type { Exchange } from "../exchange/exchange.js";
import type { Provision } from "../plan/provision.js";

export class ProvidedValue {
  readonly provision: Provision;
  /** Provided values that this one is made of. */
  readonly #reads: readonly ProvidedValue[];
  #pace: "unknown" | "at once" | "later" = "unknown";

  constructor(provision: Provision, reads: readonly ProvidedValue[]) {
    this.provision = provision;
    this.#reads = reads;
  }

  readonly lazy: Lazy = (state) => {
    const { key } = this.provision;
    const value = this.provision.make(state.bus);
    const pending = pendingOf(value);
    if (pending === undefined) return this.#made(value, state.request);
    this.#pace = "later";
    pending.catch(() => {});
    throw new FrameworkError(
      "PROVIDE_INVALID",
      `'${key.name}' takes time to make, which it did not before, or no step declared that it reads it: make it by an async function, and name it in 'reads'`,
    );
  };

  readonly step: Instruction["step"] = {
    run: (input, bus) => {
      const made = this.#ready(bus);
      return made === undefined ? input : made.then(() => input);
    },
  };

  #ready(bus: RunBus): Promise<unknown> | undefined {
    const { state } = bus;
    if (state.values[state.slotOf(this.provision.key)] !== undefined) return undefined;
    return this.#readyAfter(this.#reads, bus);
  }

  // A synchronous value may have asynchronous dependencies.
  #readyAfter(reads: readonly ProvidedValue[], bus: RunBus): Promise<unknown> | undefined {
    for (const [i, read] of reads.entries()) {
      const made = read.#ready(bus);
      if (made !== undefined) return made.then(() => this.#readyAfter(reads.slice(i + 1), bus));
    }
    return this.#pace === "at once" ? undefined : this.#makeBefore(bus);
  }

  #makeBefore(bus: RunBus): Promise<unknown> | undefined {
    // Read now: the Bus may be reused before the promise settles.
    const { request } = bus.state;
    const value = this.provision.make(bus);
    const pending = pendingOf(value);
    if (pending !== undefined) {
      this.#pace = "later";
      const { disposals } = (request as Exchange).particulars;
      disposals?.enter();
      const put = pending.then((settled) => this.#put(settled, bus, request));
      return disposals === null ? put : put.finally(() => disposals.leave());
    }
    if (this.#pace === "unknown") this.#pace = "at once";
    this.#put(value, bus, request);
    return undefined;
  }

  #put(value: unknown, bus: RunBus, request: unknown): void {
    bus.set(this.provision.key, this.#made(value, request) as never);
  }

  #made(value: unknown, request: unknown): unknown {
    const { key, dispose } = this.provision;
    if (value === undefined) {
      throw new FrameworkError("PROVIDE_INVALID", `provide('${key.name}') made nothing: return a value`);
    }
    if (dispose !== undefined)
      (request as Exchange).particulars.disposals?.push((outcome) => dispose(value as never, outcome));
    return value;
  }
}
