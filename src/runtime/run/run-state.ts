// The state of one run: its Bus values, its position, its number of jumps; and the Bus through
// which steps read those values. A state is reused only as program.ts says (P1).

import type { BusView } from "#core/bus/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus/bus-key.js";
import { BusValueMissingError, FrameworkError } from "#core/errors.js";
import { requireLabel } from "../definition/run-label.js";
import { type BusLayout, freshValues, type LazyRun } from "./bus-layout.js";
import type { Counters } from "./counters.js";
import { RunControl } from "./run-control.js";
import { RunDuties } from "./run-duties.js";

/** The Bus as steps see it. When the run is over, `state` is replaced by one that refuses every call. */
export class RunBus implements BusView<AnyKey, AnyKey, AnyKey, AnyKey, AnyKey, string> {
  state: RunState;

  constructor(state: RunState) {
    this.state = state;
  }

  get<K extends AnyKey>(key: K): TypeOfKey<K> {
    const { state } = this;
    const value = state.values[state.table[key.slot] as number];
    return (value === undefined ? state.require(key) : value) as TypeOfKey<K>;
  }

  find<K extends AnyKey>(key: K): TypeOfKey<K> | undefined {
    const { state } = this;
    const value = state.values[state.table[key.slot] as number];
    return (value === undefined ? state.make(key) : value) as TypeOfKey<K> | undefined;
  }

  has(key: AnyKey): boolean {
    return this.find(key) !== undefined;
  }

  set<K extends AnyKey>(key: K, value: TypeOfKey<K>): void {
    const { state } = this;
    state.values[state.slotOf(key)] = value;
  }

  delete(key: AnyKey): void {
    const { state } = this;
    state.values[state.slotOf(key)] = undefined;
  }

  label(name: string, value: string): void {
    this.state.label(name, value);
  }

  get isReused(): boolean {
    return this.state.layout.isReused;
  }

  get signal(): AbortSignal {
    return this.state.signal();
  }
}

/** The duties of a run without any. */
const noDuties: Readonly<RunDuties<RunState>> = new RunDuties<RunState>();

export class RunState implements LazyRun {
  readonly layout: BusLayout;
  /** `layout.table`, copied here because each access of the Bus reads it. */
  readonly table: Int32Array;
  readonly values: unknown[];
  bus: RunBus;
  /** The source of lazy values: an ingress keeps its request here. */
  request: unknown = undefined;
  jumps = 0;
  /** True if the run awaited a promise. */
  waited = false;
  control: RunControl | null = null;
  /** Null if the run is neither counted nor traced. */
  counters: Counters | null = null;
  /** Read-only here; `due` returns it for writing. */
  duties: Readonly<RunDuties<RunState>> = noDuties;

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

  /** The value of a key, made if it is absent; throws BUS_VALUE_MISSING if it cannot be made. */
  require(key: AnyKey): unknown {
    const value = this.make(key);
    if (value === undefined) throw new BusValueMissingError(key.name);
    return value;
  }

  /** As `require`; undefined if the value cannot be made. */
  make(key: AnyKey): unknown {
    const slot = this.slotOf(key);
    const value = this.layout.lazy[slot]?.(this);
    this.values[slot] = value;
    return value;
  }

  /** As `make`, without storing the value. */
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

  due(): RunDuties<RunState> {
    if (this.duties === noDuties) this.duties = new RunDuties<RunState>();
    return this.duties;
  }

  /** Throws LABEL_UNDECLARED or LABEL_VALUE_INVALID. */
  label(name: string, value: string): void {
    requireLabel(this.layout, name, value);
    const duties = this.due();
    // A new object: the log compares it with the one that it has written.
    duties.labels = { ...duties.labels, [name]: value };
  }

  /** Registers a part that has to end before the run can be undone. */
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

  /** Counts one jump and returns the number of jumps so far. */
  countJump(): number {
    this.jumps += 1;
    return this.jumps;
  }
}

/** Replaces the state of a run that is over. */
class ReleasedState extends RunState {
  override refuse(key: AnyKey): never {
    throw new FrameworkError(
      "BUS_RELEASED",
      `'${key.name}' was asked of a Bus whose run is over: read what a timer or callback needs before the step returns`,
    );
  }

  override label(name: string): never {
    throw new FrameworkError(
      "BUS_RELEASED",
      `The label '${name}' was set on a Bus whose run is over: set it before the step returns`,
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
  axon: "",
  labels: new Map(),
});
