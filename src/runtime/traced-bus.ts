import type { BusView } from "#core/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus-key.js";
import { TraceContext } from "#core/ingress-facts.js";
import type { NodeSpan } from "#core/recorder.js";
import type { RunBus } from "./run-bus.js";
import type { RunState } from "./run-state.js";
import type { Trace } from "./trace.js";

/** The Bus as one node of a traced run sees it, where somebody is told what it reads and writes, or it has a span. */
export class TracedBus implements BusView<AnyKey, AnyKey, AnyKey, AnyKey, AnyKey> {
  readonly #bus: RunBus;
  readonly #trace: Trace;
  readonly #node: string;
  readonly #span: NodeSpan | undefined;

  constructor(bus: RunBus, trace: Trace, node: string, span: NodeSpan | undefined) {
    this.#bus = bus;
    this.#trace = trace;
    this.#node = node;
    this.#span = span;
  }

  /** The same node's view of another Bus: of a fork that it runs in. */
  static over(bus: RunBus, seen: RunBus): RunBus {
    return seen instanceof TracedBus ? new TracedBus(bus, seen.#trace, seen.#node, seen.#span) : bus;
  }

  /** Tells that a try has failed, and another one comes. */
  static failed(seen: RunBus, attempt: number, delayMs: number, error: unknown): void {
    if (seen instanceof TracedBus) seen.#span?.failed(attempt, delayMs, error, seen.#trace.now_us);
  }

  /** Runs another try of what a node is, whose calls are parts of that. */
  static tried<T>(seen: RunBus, attempt: number, run: (bus: RunBus) => T): T {
    if (!(seen instanceof TracedBus) || seen.#span === undefined) return run(seen);
    const trace = seen.#trace;
    const span = seen.#span.tried(attempt, trace.now_us);
    return span.run(() => run(new TracedBus(seen.#bus, trace, seen.#node, span)));
  }

  // Not kept: the Bus is given another one when its run is over.
  get state(): RunState {
    return this.#bus.state;
  }

  get<K extends AnyKey>(key: K): TypeOfKey<K> {
    const value = this.#given(key, this.#bus.get(key));
    this.#trace.access(this.#node, "read", key.name, value);
    return value;
  }

  find<K extends AnyKey>(key: K): TypeOfKey<K> | undefined {
    const value = this.#given(key, this.#bus.find(key));
    this.#trace.access(this.#node, "read", key.name, value);
    return value;
  }

  has(key: AnyKey): boolean {
    return this.#bus.has(key);
  }

  set<K extends AnyKey>(key: K, value: TypeOfKey<K>): void {
    this.#bus.set(key, value);
    this.#trace.access(this.#node, "write", key.name, value);
  }

  delete(key: AnyKey): void {
    this.#bus.delete(key);
    this.#trace.access(this.#node, "delete", key.name, undefined);
  }

  get signal(): AbortSignal {
    return this.#bus.signal;
  }

  /** Its own place in the trace, for that of its run. */
  #given<K extends AnyKey, V>(key: K, value: V): V {
    const isPlace = this.#span !== undefined && (key as AnyKey) === (TraceContext as AnyKey);
    return isPlace ? (this.#span.place as V) : value;
  }
}
