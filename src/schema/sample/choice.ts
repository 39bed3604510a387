// Chooses among the values that a schema allows.

export interface Choice {
  /** True to take the plainest value each time, for a template. */
  readonly isPlain: boolean;
  /** An integer from 0 up to, but not including, `n`. */
  readonly below: (n: number) => number;
}

export const plain: Choice = { isPlain: true, below: () => 0 };

/** The same seed gives the same values on every machine: the generator is SplitMix32. */
export function seeded(seed: number): Choice {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  return { isPlain: false, below: (n) => Math.floor((next() / 2 ** 32) * n) };
}

/** One of several values; the first if plain. */
export const oneOf = <T>(choice: Choice, from: readonly T[]): T => from[choice.below(from.length)] as T;

/** True in this percentage of cases; false if plain. */
export const chance = (choice: Choice, percent: number): boolean =>
  !choice.isPlain && choice.below(100) < percent;

/** From `min` to `max`, most often near `min`; `min` if plain. */
export function amount(choice: Choice, min: number, max: number): number {
  if (max <= min || choice.isPlain) return min;
  const spread = chance(choice, 80) ? Math.min(max - min, 3) : Math.min(max - min, 12);
  return min + choice.below(spread + 1);
}
