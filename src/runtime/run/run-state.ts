// What one run holds: the values of its Bus, where it is, how often it jumped. A state is
// used for another run only as program.ts says (P1).

import type { AnyKey } from "#core/bus/bus-key.js";
import { BusValueMissingError, FrameworkError } from "#core/errors.js";
import type { DeadLetter } from "#core/ports/dead-letter.js";
import type { TraceMark } from "#core/timeline/trace-mark.js";
import type { Journal } from "../kept/journal.js";
import type { HeldLock } from "../steps/held-lock.js";
import type { Undoing } from "../steps/saga.js";
import type { Trace } from "../trace/trace.js";
import type { Visit } from "../trace/tracing.js";
import { type BusLayout, freshValues } from "./bus-layout.js";
import type { Counters } from "./counters.js";
import { RunBus } from "./run-bus.js";
import { RunControl } from "./run-control.js";

/** What few runs have, made when one first needs it: a field of the state is 8 B in each run that waits. */
export class RunDuties {
  /** Who is told what it does. */
  trace: Trace | null = null;
  /** Where it stands in a trace that is kept. */
  mark: TraceMark | null = null;
  /** The node that a traced run has left last. */
  lastLeft: Visit | null = null;
  completed: Undoing[] | null = null;
  /** Whether nothing that completes from here on is part of the run. */
  isOver = false;
  /** What runs inside it and has not ended: undone before it is. */
  parts: Set<Promise<unknown>> | null = null;
  /** The lock that it holds, and gives back when it ends. */
  lock: HeldLock | null = null;
  journal: Journal | null = null;
  /** Hash of the person it is about, if that is not read from the Bus. */
  subject: string | null = null;
  /** The dead letter that the run does again. */
  redrives: DeadLetter | null = null;

  clear(): void {
    this.lastLeft = null;
    this.completed = null;
    this.isOver = false;
    this.parts = null;
    this.lock = null;
    this.journal = null;
    this.redrives = null;
    this.subject = null;
    this.trace = null;
    this.mark = null;
  }
}

/** Of a run that has none. */
const noDuties: Readonly<RunDuties> = new RunDuties();

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

  get around(): RunState | undefined {
    return undefined;
  }

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

  /** The same without keeping it. */
  peek(key: AnyKey): unknown {
    return this.layout.lazy[this.slotOf(key)]?.(this);
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

  get jumpsTaken(): number {
    return this.jumps;
  }

  /** Answers how many jumps the run has taken with this one. */
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
  isReused: false,
});
