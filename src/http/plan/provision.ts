import type { BusView } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";

/** A value that `provide` declares, made per run that reads it. */
export interface Provision {
  readonly key: AnyKey;
  readonly reads: readonly AnyKey[];
  readonly make: (bus: BusView<AnyKey, AnyKey>) => unknown;
  /** Called with the value and the outcome of the run. */
  readonly dispose: ((value: never, outcome: unknown) => unknown) | undefined;
}
