// Tells runs of the ends of those that they have begun: the store keeps who is still to be told, so
// that no end is lost with its process. A run that is told twice keeps one signal.

import type { RunStore } from "#core/ports/run-store.js";
import { endSignal, type RunWaits } from "#core/ports/run-waits.js";
import type { Json } from "#core/wire/json-text.js";

const PAGE = 100;

export class ToldEnds {
  readonly #stores: readonly RunStore[];
  /** Called if a run is due now. */
  readonly #awaited: () => void;
  #telling: Promise<void> | undefined;
  #isAgain = false;

  constructor(stores: readonly RunStore[], awaited: () => void) {
    this.#stores = stores;
    this.#awaited = awaited;
  }

  /** Once at a time; a call meanwhile repeats it. Rejects if a store fails. */
  look(): Promise<void> {
    this.#isAgain = this.#telling !== undefined;
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined;
    });
    return this.#telling;
  }

  async #tell(): Promise<void> {
    do {
      this.#isAgain = false;
      for (const store of this.#stores) if (store.waits !== undefined) await this.#tellIn(store, store.waits);
    } while (this.#isAgain);
  }

  async #tellIn(store: RunStore, waits: RunWaits): Promise<void> {
    for (;;) {
      const untold = await waits.untold(PAGE);
      const told = await Promise.allSettled(
        untold.map(({ id, tells }) => this.#tellOf(id, tells, store, waits)),
      );
      // A run that cannot be read holds up no other.
      const hasTold = told.some((each) => each.status === "fulfilled" && each.value);
      const failed = told.find((each) => each.status === "rejected");
      if (untold.length === PAGE && hasTold) continue;
      if (failed !== undefined) throw failed.reason;
      return;
    }
  }

  /** Resolves to false for a run that is to be told later. */
  async #tellOf(id: string, tells: string, store: RunStore, waits: RunWaits): Promise<boolean> {
    const end = store.glance === undefined ? (await store.read(id)).at(-1) : (await store.glance(id))?.end;
    // It may fail in a layer after its end.
    if (end?.kind !== "ended") return false;
    const signal = { name: endSignal(id), payload: end as unknown as Json, id: endSignal(id) };
    const answer = await waits.signal(tells, signal);
    if (answer.kind === "kept" && answer.isAwaited) this.#awaited();
    await waits.told(id);
    return true;
  }
}
