import type { BusView } from "#core/bus/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus/bus-key.js";
import { TraceContext } from "#core/facts/ingress-facts.js";
import { INNER, type InnerSpan, type InnerStart } from "#core/timeline/inner-span.js";
import type { NodeSpan } from "#core/timeline/recorder.js";
import type { RunBus, RunState } from "../run/run-state.js";

// The kinds of access, by their index in ACCESSES.
const READ = 0;
const WRITE = 1;
const DELETE = 2;

/** The Bus as one node of a traced run sees it, if its accesses are reported or it has a span. */
export class TracedBus implements BusView<AnyKey, AnyKey, AnyKey, AnyKey, AnyKey, string> {
  // Private by type only: one is made for each node of a run. This constructor is short enough to
  // be inlined; with #fields V8 calls it.
  declare private readonly bus: RunBus;
  /** The node's number. A generated line has one view for all nodes: a node that keeps it sees the number of a later node. */
  declare node: number;
  declare readonly span: NodeSpan | undefined;

  constructor(bus: RunBus, node: number, span?: NodeSpan) {
    this.bus = bus;
    this.node = node;
    this.span = span;
  }

  /** The same node's view of another Bus: of a fork that it runs in. */
  static over(bus: RunBus, seen: RunBus): RunBus {
    return seen instanceof TracedBus ? new TracedBus(bus, seen.node, seen.span) : bus;
  }

  /** The Bus behind the view, without reports. */
  static beneath<B extends object>(seen: B | RunBus): B | RunBus {
    return seen instanceof TracedBus ? seen.bus : seen;
  }

  static failed(seen: RunBus, attempt: number, delayMs: number, error: unknown): void {
    if (seen instanceof TracedBus) seen.span?.failed(attempt, delayMs, error, seen.now_us);
  }

  static tried<T>(seen: RunBus, attempt: number, run: (bus: RunBus) => T): T {
    if (!(seen instanceof TracedBus) || seen.span === undefined) return run(seen);
    const span = seen.span.tried(attempt, seen.now_us);
    return span.run(() => run(new TracedBus(seen.bus, seen.node, span)));
  }

  /** One is made for each visit of a node. */
  get isReused(): boolean {
    return false;
  }

  // Not stored: the Bus gets another state when its run is over.
  get state(): RunState {
    return this.bus.state;
  }

  get<K extends AnyKey>(key: K): TypeOfKey<K> {
    const value = this.given(key, this.bus.get(key));
    this.tell(READ, key, value);
    return value;
  }

  find<K extends AnyKey>(key: K): TypeOfKey<K> | undefined {
    const value = this.given(key, this.bus.find(key));
    this.tell(READ, key, value);
    return value;
  }

  has(key: AnyKey): boolean {
    return this.bus.has(key);
  }

  set<K extends AnyKey>(key: K, value: TypeOfKey<K>): void {
    this.bus.set(key, value);
    this.tell(WRITE, key, value);
  }

  delete(key: AnyKey): void {
    this.bus.delete(key);
    this.tell(DELETE, key, undefined);
  }

  label(name: string, value: string): void {
    this.bus.label(name, value);
  }

  get signal(): AbortSignal {
    return this.bus.signal;
  }

  [INNER](start: InnerStart): InnerSpan | undefined {
    return this.bus.state.duties.trace?.beginInner(this.node, start);
  }

  /** The trace is null once the run is over. */
  private tell(access: number, key: AnyKey, value: unknown): void {
    this.bus.state.duties.trace?.access(this.node, access, key, value);
  }

  private get now_us(): number {
    return this.bus.state.duties.trace?.now_us ?? 0;
  }

  /** The node's own trace mark, in place of the run's. */
  private given<K extends AnyKey, V>(key: K, value: V): V {
    const isPlace = this.span !== undefined && (key as AnyKey) === (TraceContext as AnyKey);
    return isPlace ? (this.span.placeIn(value as TraceContext | undefined) as V) : value;
  }
}
