import type { AnyKey, TypeOfKey } from "./bus-key.js";

declare const remedy: unique symbol;
declare const declared: unique symbol;
/** No value has this type: the compiler shows its remedy if a key is not declared. */
interface Undeclared<Remedy extends string> extends AnyKey {
  readonly [remedy]: Remedy;
}
type UndeclaredLabel<Remedy extends string> = string & { readonly [remedy]: Remedy };

/**
 * The typed context of one run, as one step sees it. The step reads `Rd`, sets `Wr` whenever it
 * returns Next, sets `Mw` on some paths only, and may delete `Dl`. Keys of `Mr` may be absent. The
 * step may set the labels `Lb` of the run.
 * Access to any other key does not compile. Outside production it throws BUS_ACCESS_DENIED.
 */
export interface BusView<
  in Rd extends AnyKey = never,
  in Wr extends AnyKey = never,
  in Mr extends AnyKey = never,
  in Mw extends AnyKey = never,
  in Dl extends AnyKey = never,
  in Lb extends string = never,
> {
  /** The value under `key`. Throws BUS_VALUE_MISSING if it has none. */
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
  /**
   * Sets a label of the run, which lists show and searches find: `bus.label("order", id)`. The last
   * value counts. Throws LABEL_VALUE_INVALID for a value that the schema in `withLabels` does not allow.
   */
  label(name: Lb | UndeclaredLabel<"add the name to 'labels' of this step">, value: string): void;
  /** Aborts with the run. Created at first use. */
  readonly signal: AbortSignal;
  /** For the compiler only. Methods are compared bivariantly: this property compares the keys of views with names. */
  readonly [declared]?:
    | ((reads: Rd, writes: Wr, mayRead: Mr, mayWrite: Mw, deletes: Dl, labels: Lb) => void)
    | undefined;
}

type ReadByStep = Undeclared<"in the function's place give transition({ name, reads: [key], run })">;

/** The Bus of a compensation, which declares no keys. */
export interface BareBus {
  get(key: ReadByStep): never;
  find(key: ReadByStep): never;
  /** Aborts when the compensation times out. Created at first use. */
  readonly signal: AbortSignal;
}

type Entry = readonly [AnyKey, unknown];
type Typed<E extends readonly Entry[]> = {
  readonly [I in keyof E]: readonly [E[I][0], TypeOfKey<E[I][0]>];
};

/** Values that the caller provides to a run: `Bus.of([[Db, pool]])`. */
export class Bus<in Has extends AnyKey = never> {
  /** Contravariant: a Bus with more keys is accepted where fewer are needed. */
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
