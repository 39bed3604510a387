import type { BusView } from "#core/bus/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus/bus-key.js";
import type { RunState } from "./run-state.js";

/** The Bus as steps see it. When the run is over `state` is replaced by one that refuses every call. */
export class RunBus implements BusView<AnyKey, AnyKey, AnyKey, AnyKey, AnyKey> {
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

  get isReused(): boolean {
    return this.state.layout.isReused;
  }

  get signal(): AbortSignal {
    return this.state.signal();
  }
}
