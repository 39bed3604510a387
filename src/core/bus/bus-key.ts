import { interned } from "../interned.js";

declare const invariant: unique symbol;

/**
 * Names one value of a run. Invariant in its type: a key is read with the type it was written
 * with. `slot` is the key's number in this process.
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

/** The only key of this name in the process. For the framework's keys: prefixed, or listed in ingress-facts.ts. */
export function namedKey<T extends BusValue, const Name extends string>(name: Name): BusKey<T, Name> {
  const known = slots.named.get(name);
  if (known !== undefined) return known as BusKey<T, Name>;
  const made = busKey<T>()(name);
  slots.named.set(name, made);
  return made;
}

/** Number of keys: the length of a table indexed by `slot`. */
export const keyCount = (): number => slots.next;
