import type { BusView } from "#core/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus-key.js";
import type { RunBus } from "./run-bus.js";
import type { RunState } from "./run-state.js";
import type { Trace } from "./trace.js";

/** The Bus as one node of a traced run sees it, where somebody is told what it reads and writes. */
export class TracedBus implements BusView<AnyKey, AnyKey, AnyKey, AnyKey, AnyKey> {
  readonly #bus: RunBus;
  readonly #trace: Trace;
  readonly #node: string;

  constructor(bus: RunBus, trace: Trace, node: string) {
    this.#bus = bus;
    this.#trace = trace;
    this.#node = node;
  }

  // Not kept: the Bus is given another one when its run is over.
  get state(): RunState {
    return this.#bus.state;
  }

  get<K extends AnyKey>(key: K): TypeOfKey<K> {
    const value = this.#bus.get(key);
    this.#trace.access(this.#node, "read", key.name, value);
    return value;
  }

  find<K extends AnyKey>(key: K): TypeOfKey<K> | undefined {
    const value = this.#bus.find(key);
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
}
