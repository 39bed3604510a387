// What decides between the values that a schema allows.

export interface Choice {
  /** Whether the plainest value is wanted each time, as a template has it. */
  readonly isPlain: boolean;
  /** A whole number from 0 to below `n`. */
  readonly below: (n: number) => number;
}

export const plain: Choice = { isPlain: true, below: () => 0 };

/** The same values for the same seed, on every machine: the generator is SplitMix32. */
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

/** One of several, the first where the plainest is wanted. */
export const oneOf = <T>(choice: Choice, from: readonly T[]): T => from[choice.below(from.length)] as T;

/** In so many of a hundred cases; never where the plainest is wanted. */
export const chance = (choice: Choice, percent: number): boolean =>
  !choice.isPlain && choice.below(100) < percent;

/** From `min` to `max`, most often near `min`; `min` where the plainest is wanted. */
export function amount(choice: Choice, min: number, max: number): number {
  if (max <= min || choice.isPlain) return min;
  const spread = chance(choice, 80) ? Math.min(max - min, 3) : Math.min(max - min, 12);
  return min + choice.below(spread + 1);
}
