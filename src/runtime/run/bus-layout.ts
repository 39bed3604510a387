// Maps the Bus keys of one Axon to compact slots. Keys are numbered per process, and one Axon
// uses few of them.
//
//   B1. Slot 0 belongs to no key and is always undefined: a key without a slot reads as absent.
//   B2. Values that live as long as the server come first: clearing a run is one loop over the
//       rest.

import type { BusView } from "#core/bus/bus.js";
import { type AnyKey, keyCount } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import type { DeclaredLabels } from "../definition/run-label.js";

/** The run that a lazy value is made for, at its first read. */
export interface LazyRun {
  /** Set by an ingress: its request. */
  readonly request: unknown;
  readonly bus: BusView<AnyKey, AnyKey>;
  /** Maps `key.slot` to an index of `values` (B1). */
  readonly table: Int32Array;
  readonly values: readonly unknown[];
  /** Makes the value of another key if it is absent; undefined if it cannot be made. */
  make(key: AnyKey): unknown;
}

export type Lazy = (run: LazyRun) => unknown;

export interface Supply {
  readonly constants: ReadonlyMap<AnyKey, unknown>;
  /** Values made at first read, from `RunState.request`. */
  readonly lazy: ReadonlyMap<AnyKey, Lazy>;
}

export const noSupply: Supply = { constants: new Map(), lazy: new Map() };

export interface BusLayout extends DeclaredLabels {
  readonly table: Int32Array;
  readonly keys: readonly AnyKey[];
  /** Values of a fresh run: constants in place, the rest undefined. */
  readonly initial: readonly unknown[];
  readonly firstCleared: number;
  readonly lazy: readonly (Lazy | undefined)[];
  /** True if later runs get the same Bus object. */
  readonly isReused: boolean;
}

/** The values of a fresh run. Without keys all runs share one array, which is never written (B1). */
export const freshValues = ({ initial }: BusLayout): unknown[] =>
  initial.length > 1 ? initial.slice() : (initial as unknown[]);

/** Throws BUS_KEY_AMBIGUOUS if two of the keys share a name. */
export function layOut(
  used: Iterable<AnyKey>,
  supply: Supply,
  declared: DeclaredLabels,
  isReused: boolean,
): BusLayout {
  const constants = [...supply.constants.keys()];
  const keys = [...new Set([...constants, ...used, ...supply.lazy.keys()])];
  requireDistinctNames(keys, `Axon '${declared.axon}'`);
  const table = new Int32Array(keyCount());
  keys.forEach((key, i) => {
    table[key.slot] = i + 1;
  });
  return {
    table,
    keys,
    initial: [undefined, ...keys.map((key) => supply.constants.get(key))],
    firstCleared: 1 + constants.length,
    lazy: [undefined, ...keys.map((key) => supply.lazy.get(key))],
    isReused,
    ...declared,
  };
}

/** Throws BUS_KEY_AMBIGUOUS: two keys with one name are different keys, which is always a mistake. */
export function requireDistinctNames(keys: Iterable<AnyKey>, owner: string): void {
  const byName = new Map<string, AnyKey>();
  for (const key of keys) {
    if ((byName.get(key.name) ?? key) !== key) {
      throw new FrameworkError(
        "BUS_KEY_AMBIGUOUS",
        `${owner} uses two keys named '${key.name}': export one from one module, or rename one`,
      );
    }
    byName.set(key.name, key);
  }
}
