// What one run holds: the values of its Bus, where it is, how often it jumped.
//
//   R1. A state is used for another run only if its own never waited and gave
//       nothing of it away: whoever waits, or has its signal, may still hold it.

import type { AnyKey } from "#core/bus-key.js";
import { BusValueMissingError, FrameworkError } from "#core/errors.js";
import { type BusLayout, freshValues } from "./bus-layout.js";
import type { Counters } from "./counters.js";
import { RunBus } from "./run-bus.js";
import { RunControl } from "./run-control.js";
import { noDuties, RunDuties } from "./run-duties.js";

export class RunState {
  readonly layout: BusLayout;
  /** `layout.table`, one step nearer: each access of the Bus reads it. */
  readonly table: Int32Array;
  readonly values: unknown[];
  bus: RunBus;
  /** What lazy values are made from: an ingress keeps its request here. */
  request: unknown = undefined;
  jumps = 0;
  /** Whether the run had to wait for a promise. */
  waited = false;
  /** Null for a run that nobody outside can abort. */
  control: RunControl | null = null;
  /** Null while nobody counts, and nobody traces. */
  counters: Counters | null = null;
  /** What few runs have; `due` is where it is written. */
  duties: Readonly<RunDuties> = noDuties;

  constructor(layout: BusLayout, values: unknown[] = freshValues(layout)) {
    this.layout = layout;
    this.table = layout.table;
    this.values = values;
    this.bus = new RunBus(this);
  }

  /** The run that it is a part of; undefined for a whole one. */
  get around(): RunState | undefined {
    return undefined;
  }

  /** Makes the state fit for another run (R1). */
  clear(): void {
    const { values } = this;
    for (let i = this.layout.firstCleared; i < values.length; i += 1) values[i] = undefined;
    this.jumps = 0;
    this.request = undefined;
    this.counters = null;
    if (this.duties !== noDuties) this.due().clear();
  }

  /** The value of a key that is not there yet, made if it can be; else BUS_VALUE_MISSING. */
  require(key: AnyKey): unknown {
    const value = this.make(key);
    if (value === undefined) throw new BusValueMissingError(key.name);
    return value;
  }

  /** The same; undefined if it cannot be made. */
  make(key: AnyKey): unknown {
    const slot = this.slotOf(key);
    const value = this.layout.lazy[slot]?.(this);
    this.values[slot] = value;
    return value;
  }

  slotOf(key: AnyKey): number {
    const slot = this.table[key.slot] ?? 0;
    if (slot === 0) this.refuse(key);
    return slot;
  }

  refuse(key: AnyKey): never {
    throw new FrameworkError(
      "BUS_ACCESS_DENIED",
      `No step of this circuit declares '${key.name}': add it to 'reads' or 'writes' of the step that uses it`,
    );
  }

  /** Its own duties, to be written. */
  due(): RunDuties {
    if (this.duties === noDuties) this.duties = new RunDuties();
    return this.duties;
  }

  /** Notes that a part has to end before the run can be undone. */
  addPart(part: Promise<unknown>): void {
    const duties = this.due();
    duties.parts ??= new Set();
    const { parts } = duties;
    parts.add(part);
    void part.then(() => parts.delete(part));
  }

  signal(): AbortSignal {
    this.control ??= new RunControl();
    return this.control.signal();
  }

  /** How many jumps the run has taken. */
  get jumpsTaken(): number {
    return this.jumps;
  }

  /** Counts a jump; answers how many the run has taken. */
  countJump(): number {
    this.jumps += 1;
    return this.jumps;
  }
}

/** Stands in for the state of a run that is over. */
class ReleasedState extends RunState {
  override refuse(key: AnyKey): never {
    throw new FrameworkError(
      "BUS_RELEASED",
      `'${key.name}' was asked of a Bus whose run is over: read what a timer or callback needs before the step returns`,
    );
  }

  override signal(): never {
    throw new FrameworkError(
      "BUS_RELEASED",
      "The signal was asked of a Bus whose run is over: keep it before the step returns",
    );
  }
}

export const releasedState: RunState = new ReleasedState({
  table: new Int32Array(0),
  keys: [],
  initial: [],
  firstCleared: 0,
  lazy: [],
});
