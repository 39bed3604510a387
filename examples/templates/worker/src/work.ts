// What runs in the threads of the pool: a function of plain data, which may compute for long.

export interface Demand {
  /** Days that the stock must last. */
  readonly days: number;
  /** Mean sales of a day. */
  readonly perDay: number;
  /** Number of simulated periods. */
  readonly trials: number;
  /** The same seed gives the same forecast. */
  readonly seed: number;
}

export interface Forecast {
  readonly mean: number;
  /** The stock that is enough in 95 of 100 periods. */
  readonly enough: number;
}

export function forecast({ days, perDay, trials, seed }: Demand): Forecast {
  const random = generator(seed);
  const sold = new Uint32Array(trials);
  for (let trial = 0; trial < trials; trial += 1)
    for (let day = 0; day < days; day += 1) sold[trial] = (sold[trial] ?? 0) + poisson(perDay, random);
  sold.sort();
  return {
    mean: sold.reduce((sum, count) => sum + count, 0) / trials,
    enough: sold[Math.floor(0.95 * trials)] ?? 0,
  };
}

/** Sales of one day, by the method of Knuth. */
function poisson(mean: number, random: () => number): number {
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count += 1;
  return count;
}

/** The generator "mulberry32". */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
