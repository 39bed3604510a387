import { interned } from "../interned.js";

declare const invariant: unique symbol;

/**
 * Names one value of a run. Invariant in its type: what is written under a key
 * is what is read under it. `slot` is the key's number in this process.
 */
export interface BusKey<in out T, out Name extends string> {
  readonly name: Name;
  readonly slot: number;
  readonly [invariant]?: (value: T) => T;
}

export type AnyKey = BusKey<any, string>;

export type TypeOfKey<K> = K extends BusKey<infer T, string> ? T : never;

export type NameOfKey<K> = K extends AnyKey ? K["name"] : never;

export type BusValue = NonNullable<unknown> | null;

interface Slots {
  next: number;
  readonly named: Map<string, AnyKey>;
}

const slots = interned<Slots>("BusSlots", () => ({ next: 0, named: new Map() }));

/**
 * Makes a key: `const Plan = busKey<string>()("Plan")`. Two calls, because with
 * one the name could not stay a literal type, and all string keys would be one type.
 */
export const busKey =
  <T extends BusValue>() =>
  <const Name extends string>(name: Name): BusKey<T, Name> => {
    const key = Object.freeze({ name, slot: slots.next });
    slots.next += 1;
    return key;
  };

/** The one key of this name in the process: for the framework's own keys, which carry a prefix or are listed in ingress-facts.ts. */
export function namedKey<T extends BusValue, const Name extends string>(name: Name): BusKey<T, Name> {
  const known = slots.named.get(name);
  if (known !== undefined) return known as BusKey<T, Name>;
  const made = busKey<T>()(name);
  slots.named.set(name, made);
  return made;
}

/** How many keys there are: the length of a table indexed by `slot`. */
export const keyCount = (): number => slots.next;
