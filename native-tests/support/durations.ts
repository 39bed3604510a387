import fc from "fast-check";

/** Samples in microseconds, distributed as durations of services are, and worse. */
export function durations(): readonly (readonly [name: string, samples: fc.Arbitrary<number[]>])[] {
  const many = (one: fc.Arbitrary<number>): fc.Arbitrary<number[]> =>
    fc.array(one, { minLength: 1, maxLength: 2000, size: "max" });
  const uniform = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
  const share = fc.double({ min: 1e-9, max: 1, noNaN: true });
  return [
    ["even", many(uniform(0, 100_000))],
    ["short", many(uniform(0, 200))],
    ["exponential", many(share.map((p) => -Math.log(p) * 5_000))],
    ["log-normal", many(fc.tuple(share, share).map(([p, q]) => Math.exp(6 + 2 * normal(p, q))))],
    ["heavy-tailed", many(share.map((p) => Math.min(100 / p ** 1.5, 4e9)))],
    [
      "of two kinds",
      many(fc.oneof({ weight: 95, arbitrary: uniform(80, 120) }, uniform(900_000, 1_100_000))),
    ],
    [
      "all the same",
      fc.tuple(uniform(0, 4e9), fc.integer({ min: 1, max: 500 })).map(([us, n]) => Array(n).fill(us)),
    ],
  ];
}

const normal = (p: number, q: number): number => Math.sqrt(-2 * Math.log(p)) * Math.cos(2 * Math.PI * q);
