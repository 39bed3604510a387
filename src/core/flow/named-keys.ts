// Names that a step gives its Bus keys: `uses: { id: param("id") }` makes `bus.id`.
//
//   NK1. A declaration by name becomes one by key (`reads`, `writes`, `mayRead`): code that checks,
//        draws or lays out a step sees lists only.
//   NK2. The class of the view is made once, with the step. A view holds only a Bus.
//   NK3. A view is reused only for the same Bus, and only if later runs get that Bus too:
//        otherwise it would retain the values of a suspended run.
//   NK4. Outside production a view of a Bus that checks declarations refuses undeclared names, by a
//        proxy behind its prototypes. In production that proxy is not installed.

import type { BusView } from "../bus/bus.js";
import type { AnyKey, TypeOfKey } from "../bus/bus-key.js";
import { FrameworkError } from "../errors.js";
import { mode } from "../mode.js";
import { beginInner, INNER, type InnerSpan, type InnerStart } from "../timeline/inner-span.js";
import { wrapping } from "./written-function.js";

/** Keys by the names under which a step's Bus has their values. */
export type NamedKeys = Readonly<Record<string, AnyKey>>;

/** The names of a step without named keys. */
export type NoKeys = Record<never, AnyKey>;

export type KeysNamed<N> = Extract<N[keyof N], AnyKey>;

/** Keys that a step declares by name, in the place of `reads`, `writes` and `mayRead`. */
export interface NamedDeclarations<U extends NamedKeys, S extends NamedKeys, M extends NamedKeys> {
  /** Keys it needs: `uses: { id: param("id") }` makes `bus.id`. */
  readonly uses?: U;
  /** Keys that it sets whenever it answers Next: `sets: { berth: Berth }` makes `bus.berth = 4`. */
  readonly sets?: S;
  /** Keys that may be absent: `bus.name` is then undefined. */
  readonly mayUse?: M;
}

/** The Bus of a step, with its named values. Assign to the Bus, never to a destructured name. */
export type NamedBus<
  Rd extends AnyKey,
  Wr extends AnyKey,
  Mr extends AnyKey,
  Mw extends AnyKey,
  Dl extends AnyKey,
  U,
  S,
  M,
  Lb extends string = never,
> = BusView<Rd | KeysNamed<U>, Wr | KeysNamed<S>, Mr | KeysNamed<M>, Mw, Dl, Lb> & {
  readonly [N in keyof U]: TypeOfKey<U[N]>;
} & { [N in keyof S]: TypeOfKey<S[N]> } & { readonly [N in keyof M]: TypeOfKey<M[N]> | undefined };

type AnyBus = BusView<AnyKey, AnyKey, AnyKey, AnyKey, AnyKey, string> & {
  /** True if later runs get the same Bus. */
  readonly isReused?: boolean;
  /** Set if the Bus checks declarations: throws for a name that the step does not declare. */
  readonly refuseName?: (use: NameUse, name: string) => never;
  readonly span?: unknown;
};

/** Kind of access to `bus.name`. */
export type NameUse = "read" | "set";

interface Named {
  readonly name: string;
  readonly uses?: NamedKeys;
  readonly sets?: NamedKeys;
  readonly mayUse?: NamedKeys;
  readonly reads?: readonly AnyKey[];
  readonly writes?: readonly AnyKey[];
  readonly mayRead?: readonly AnyKey[];
  readonly run: (input: never, bus: never) => unknown;
}

/** Derives the lists of a step with named keys, and gives its `run` the view. Returns a step without names as it is. Throws CONFIG_INVALID. */
export function withNamedKeys<D extends Named>(step: D): D {
  const { uses, sets, mayUse, ...own } = step;
  if (uses === undefined && sets === undefined && mayUse === undefined) return step;
  const listed = {
    reads: listOf(step, "uses", step.reads),
    writes: listOf(step, "sets", step.writes),
    mayRead: listOf(step, "mayUse", step.mayRead),
  };
  return { ...own, ...listed, sets, run: wrapping(viewing(step), step.run) } as unknown as D;
}

function listOf(
  step: Named,
  part: "uses" | "sets" | "mayUse",
  listed: readonly AnyKey[] = [],
): readonly AnyKey[] {
  const named = Object.entries(step[part] ?? {});
  for (const [name, key] of named) {
    const refuse = (why: string): never => {
      throw new FrameworkError("CONFIG_INVALID", `Step '${step.name}', ${part}: '${name}' ${why}`);
    };
    if (RESERVED.has(name)) refuse("is a name of the Bus itself: choose another one");
    if (typeof (key as AnyKey | undefined)?.slot !== "number")
      refuse("is not a Bus key: give a key that busKey, param, header or cookie has made");
    const { uses, sets, mayUse } = step;
    if ([uses, sets, mayUse].some((other) => Object.hasOwn(other ?? {}, name) && other?.[name] !== key))
      refuse("names two keys: choose two names");
  }
  return [...new Set([...listed, ...named.map(([, key]) => key)])];
}

function viewing(step: Named): (input: never, bus: AnyBus) => unknown {
  const View = viewClass(step);
  let last: AnyBus | undefined;
  let view: NamedView | undefined;
  return (input, bus) => {
    if (bus !== last || view === undefined) {
      const made = new View(bus);
      if (bus.isReused !== true) return step.run(input, made as never);
      last = bus;
      view = made;
    }
    return step.run(input, view as never);
  };
}

class NamedView implements BusView<AnyKey, AnyKey, AnyKey, AnyKey, AnyKey, string> {
  readonly #bus: AnyBus;

  constructor(bus: AnyBus) {
    this.#bus = bus;
  }

  get<K extends AnyKey>(key: K): TypeOfKey<K> {
    return this.#bus.get(key);
  }

  find<K extends AnyKey>(key: K): TypeOfKey<K> | undefined {
    return this.#bus.find(key);
  }

  has(key: AnyKey): boolean {
    return this.#bus.has(key);
  }

  set<K extends AnyKey>(key: K, value: TypeOfKey<K>): void {
    this.#bus.set(key, value);
  }

  delete(key: AnyKey): void {
    this.#bus.delete(key);
  }

  label(name: string, value: string): void {
    this.#bus.label(name, value);
  }

  get signal(): AbortSignal {
    return this.#bus.signal;
  }

  static refuse(view: object, use: NameUse, name: string): void {
    if (#bus in view) view.#bus.refuseName?.(use, name);
  }

  /** The span of the node in a traced run. */
  get span(): unknown {
    return this.#bus.span;
  }

  [INNER](start: InnerStart): InnerSpan | undefined {
    return beginInner(this.#bus, start);
  }
}

const RESERVED: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(NamedView.prototype),
  ...Object.getOwnPropertyNames(Object.prototype),
  "then",
]);

/** Without it, inspection reads names such as `href`. */
const INSPECTED = Symbol.for("nodejs.util.inspect.custom");

/** Names that a runtime reads from any object. */
const PROBED: ReadonlySet<string> = new Set(["then", "toJSON"]);

function refuseUndeclared(use: NameUse, name: string | symbol, shared: object, view: object): void {
  if (typeof name === "string" && !(name in shared) && !PROBED.has(name)) NamedView.refuse(view, use, name);
}

if (!mode.production)
  Object.setPrototypeOf(
    NamedView.prototype,
    new Proxy(Object.prototype, {
      get(shared, name, view) {
        if (name === INSPECTED) return () => "Bus {}";
        refuseUndeclared("read", name, shared, view);
        return Reflect.get(shared, name, view);
      },
      set(shared, name, value, view) {
        refuseUndeclared("set", name, shared, view);
        return Reflect.set(shared, name, value, view);
      },
    }),
  );

function viewClass({ uses = {}, sets = {}, mayUse = {} }: Named): new (bus: AnyBus) => NamedView {
  class View extends NamedView {}
  const define = (name: string, accessors: PropertyDescriptor & ThisType<NamedView>): void => {
    Object.defineProperty(View.prototype, name, { enumerable: true, configurable: true, ...accessors });
  };
  const setter = (name: string): PropertyDescriptor & ThisType<NamedView> => {
    const key = sets[name];
    if (key === undefined) return {};
    return {
      set(value) {
        this.set(key, value);
      },
    };
  };
  for (const [name, key] of Object.entries(sets)) {
    define(name, {
      get() {
        const value = this.find(key);
        if (value !== undefined) return value;
        throw new FrameworkError(
          "BUS_VALUE_MISSING",
          `'${name}' was read from the Bus before the step set it: set it by bus.${name} = ...; assigning a destructured '${name}' sets nothing`,
        );
      },
      ...setter(name),
    });
  }
  for (const [name, key] of Object.entries(mayUse)) {
    define(name, {
      get() {
        return this.find(key);
      },
      ...setter(name),
    });
  }
  for (const [name, key] of Object.entries(uses)) {
    define(name, {
      get() {
        return this.get(key);
      },
      ...setter(name),
    });
  }
  return View;
}
