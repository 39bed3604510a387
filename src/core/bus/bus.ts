import type { AnyKey, TypeOfKey } from "./bus-key.js";

declare const remedy: unique symbol;
declare const declared: unique symbol;
/** Nothing is of this type: the compiler shows its remedy where a key is not declared. */
interface Undeclared<Remedy extends string> extends AnyKey {
  readonly [remedy]: Remedy;
}

/**
 * The typed context of one run, as one step sees it: `Rd` it reads, `Wr` it sets
 * whenever it answers Next, `Mr` may be absent, `Mw` it sets on some paths only,
 * `Dl` it may delete.
 * Access to any other key does not compile and, outside production, throws
 * BUS_ACCESS_DENIED.
 */
export interface BusView<
  in Rd extends AnyKey = never,
  in Wr extends AnyKey = never,
  in Mr extends AnyKey = never,
  in Mw extends AnyKey = never,
  in Dl extends AnyKey = never,
> {
  /** The value under `key`. Throws BUS_VALUE_MISSING when there is none. */
  get<K extends Rd>(key: K | Undeclared<"add the key to 'uses' or 'reads' of this step">): TypeOfKey<K>;
  find<K extends Rd | Wr | Mr | Mw>(
    key: K | Undeclared<"add the key to 'uses', 'mayUse', 'reads' or 'mayRead' of this step">,
  ): TypeOfKey<K> | undefined;
  has<K extends Rd | Wr | Mr | Mw>(
    key: K | Undeclared<"add the key to 'uses', 'mayUse', 'reads' or 'mayRead' of this step">,
  ): boolean;
  set<K extends Wr | Mw>(
    key: K | Undeclared<"add the key to 'sets', 'writes' or 'mayWrite' of this step">,
    value: TypeOfKey<K>,
  ): void;
  delete<K extends Dl>(key: K | Undeclared<"add the key to 'deletes' of this step">): void;
  /** Fires when the run is aborted. Made at first use. */
  readonly signal: AbortSignal;
  /** For the compiler alone: the keys are compared by it where a view has names as well, since methods are compared bivariantly. */
  readonly [declared]?: ((reads: Rd, writes: Wr, mayRead: Mr, mayWrite: Mw, deletes: Dl) => void) | undefined;
}

type ReadByStep = Undeclared<"in the function's place give transition({ name, reads: [key], run })">;

/** What a function sees that undoes a step: it has nowhere to declare a key. */
export interface BareBus {
  get(key: ReadByStep): never;
  find(key: ReadByStep): never;
  /** Fires when the compensation's time is up. Made at first use. */
  readonly signal: AbortSignal;
}

type Entry = readonly [AnyKey, unknown];
type Typed<E extends readonly Entry[]> = {
  readonly [I in keyof E]: readonly [E[I][0], TypeOfKey<E[I][0]>];
};

/** Values that a run needs from outside: `Bus.of([[Db, pool]])`. */
export class Bus<in Has extends AnyKey = never> {
  /** Contravariant: a Bus that holds more serves where less is needed. */
  declare readonly holds: (key: Has) => void;
  /** @internal */
  readonly entries: readonly Entry[];

  private constructor(entries: readonly Entry[]) {
    this.entries = entries;
  }

  static of<const E extends readonly Entry[]>(entries: E & Typed<E>): Bus<E[number][0]> {
    return new Bus(entries);
  }
}
