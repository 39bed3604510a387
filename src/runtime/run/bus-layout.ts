// Which compact slot each key of one circuit has: keys are numbered in the process, and a
// circuit uses few of them.
//
//   B1. Slot 0 belongs to no key and is always undefined: what the table does not
//       know reads as absent.
//   B2. Values that live as long as the server come first, so that clearing a run
//       is one loop over the rest.

import type { BusView } from "#core/bus/bus.js";
import { type AnyKey, keyCount } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";

/** The run that a value is made for, at its first read. */
export interface LazyRun {
  /** What an ingress keeps there: its request. */
  readonly request: unknown;
  readonly bus: BusView<AnyKey, AnyKey>;
  /** Slots by `key.slot` (B1), and the values in them. */
  readonly table: Int32Array;
  readonly values: readonly unknown[];
  /** Makes the value of another key, where it is not there yet; undefined if it cannot be made. */
  make(key: AnyKey): unknown;
}

export type Lazy = (run: LazyRun) => unknown;

export interface Supply {
  readonly constants: ReadonlyMap<AnyKey, unknown>;
  /** Made at first read, from what `RunState.request` holds. */
  readonly lazy: ReadonlyMap<AnyKey, Lazy>;
}

export const noSupply: Supply = { constants: new Map(), lazy: new Map() };

export interface BusLayout {
  readonly table: Int32Array;
  readonly keys: readonly AnyKey[];
  /** Values of a fresh run: constants in place, the rest undefined. */
  readonly initial: readonly unknown[];
  readonly firstCleared: number;
  readonly lazy: readonly (Lazy | undefined)[];
  /** Whether later runs get the same Bus. */
  readonly isReused: boolean;
}

/** The values of a fresh run. Where there are no keys all runs have one array: nobody writes to it (B1). */
export const freshValues = ({ initial }: BusLayout): unknown[] =>
  initial.length > 1 ? initial.slice() : (initial as unknown[]);

/** Throws BUS_KEY_AMBIGUOUS where two of the keys share a name. */
export function layOut(used: Iterable<AnyKey>, supply: Supply, axon: string, isReused: boolean): BusLayout {
  const constants = [...supply.constants.keys()];
  const keys = [...new Set([...constants, ...used, ...supply.lazy.keys()])];
  requireDistinctNames(keys, `Axon '${axon}'`);
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
  };
}

/** Throws BUS_KEY_AMBIGUOUS: two keys with one name are two keys, which nobody means. */
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
