import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { compare } from "#bench/comparison.js";
import type { Listed } from "#bench/listed.js";
import { type BenchReport, reportOf } from "#bench/report.js";
import type { Sample, Sampled } from "#bench/sample.js";

const LENGTHS = { rounds: 5, seconds: 1, connections: 1 };

/** Deviations of ten measurements, small and of no order. */
const DEVIATIONS = [0.01, -0.02, 0.005, 0.015, -0.01, -0.005, 0.02, 0, -0.015, 0.01];

function report(figures: readonly Sampled[], name = "price"): BenchReport {
  const listed: Listed = { kind: "function", name, budget: undefined };
  const half = figures.length / 2;
  return reportOf([{ ...listed, arms: [figures.slice(0, half), figures.slice(half)] }], LENGTHS);
}

/** A run whose measurements are around `relative` by that share of the deviations. */
const runs = (relative: number, spread = 1, value = 100): BenchReport =>
  report(
    DEVIATIONS.map((deviation) => ({
      ns_a_run: { value, relative: relative * (1 + spread * deviation), busy: 1 },
    })),
  );

const weighed = (...bytes: readonly number[]): BenchReport =>
  report(bytes.map((value) => ({ bytes_a_run: { value } })));

const verdictOf = (base: BenchReport, now: BenchReport, failOver = 0.1) =>
  compare(base, now, failOver).figures[0]?.verdict;

describe("a comparison of benchmarks", () => {
  test("finds a loss above the threshold and the noise, and a gain", () => {
    const [figure] = compare(runs(2), runs(2.3), 0.1).figures;

    assert.equal(figure?.verdict, "fell");
    assert.ok(Math.abs((figure?.loss ?? 0) - 0.15) < 0.01, `${figure?.loss}`);
    assert.equal(verdictOf(runs(2.3), runs(2)), "rose");
    assert.equal(verdictOf(runs(2), runs(2.3), 0.2), "same");
  });

  test("finds nothing in what is within the threshold", () => {
    assert.equal(verdictOf(runs(2), runs(2.15)), "same");
    assert.equal(verdictOf(runs(2), runs(2)), "same");
  });

  // C2: an outlier moves no median.
  test("finds nothing in an outlier", () => {
    const now = DEVIATIONS.map((deviation, i): Sampled => {
      const relative = i === 3 ? 40 : 2 * (1 + deviation);
      return { ns_a_run: { value: 100, relative, busy: 1 } };
    });

    assert.equal(verdictOf(runs(2), report(now)), "same");
  });

  // C1: the calibration is slower too.
  test("finds nothing where the machine is slower, and all that it computes with it", () => {
    assert.equal(verdictOf(runs(2, 1, 100), runs(2, 1, 300)), "same");
  });

  test("takes the value itself of what waits", () => {
    const waits = (value: number, relative: number) =>
      report(
        DEVIATIONS.map((deviation) => ({
          ns_a_run: { value: value * (1 + deviation), relative, busy: 0.05 },
        })),
      );

    assert.equal(verdictOf(waits(100, 2), waits(101, 3)), "same");
    assert.equal(verdictOf(waits(100, 2), waits(120, 2)), "fell");
  });

  // C3: no loss within the noise.
  test("judges nothing within the noise, and says that it cannot", () => {
    const noisy = compare(runs(2, 20), runs(2.3, 20), 0.1).figures[0];

    assert.equal(noisy?.verdict, "unclear");
    assert.equal(verdictOf(runs(2, 1), runs(8, 20)), "fell", "a loss that no noise explains");
  });

  test("judges nothing where a benchmark and its control differ", () => {
    const halves = (one: number, other: number) =>
      report(
        DEVIATIONS.map(
          (_, i): Sampled => ({ ns_a_run: { value: 1, relative: i < 5 ? one : other, busy: 1 } }),
        ),
      );

    assert.equal(verdictOf(halves(2, 2), halves(2.2, 3.3)), "unclear");
  });

  test("judges nothing by two rounds", () => {
    const two = (relative: number) =>
      report(Array.from({ length: 4 }, (): Sampled => ({ ns_a_run: { value: 1, relative, busy: 1 } })));

    assert.equal(verdictOf(two(2), two(4)), "unclear");
  });

  test("compares the bytes of a run, of which a few are nothing", () => {
    assert.equal(verdictOf(weighed(400, 400), weighed(460, 460)), "fell");
    assert.equal(verdictOf(weighed(0, 0.4), weighed(7, 7)), "same");
    assert.equal(verdictOf(weighed(0, 0), weighed(40, 40)), "fell");
    assert.equal(verdictOf(weighed(40, 40), weighed(0, 0)), "rose");
    assert.equal(verdictOf(weighed(400, 600), weighed(560, 560)), "unclear");
  });

  test("a loss of requests a second is fewer of them, and latencies are not judged", () => {
    const served = (relative: number) =>
      report(
        DEVIATIONS.map((deviation): Sampled => {
          const sample: Sample = { value: 1, relative: relative * (1 + deviation), busy: 1 };
          return { requests_per_second: sample, p99_us: { value: 1 / relative } };
        }),
      );
    const { figures } = compare(served(2.3), served(2), 0.1);

    assert.deepEqual(
      figures.map(({ figure, verdict }) => [figure, verdict]),
      [["requests_per_second", "fell"]],
    );
  });

  test("names what is new, what is gone, and what was measured otherwise", () => {
    const base = { ...runs(2), connections: 8, machine: { ...runs(2).machine, node: "v1.0.0" } };
    const now = report([{ ns_a_run: { value: 1, relative: 1, busy: 1 } }, {}], "another");
    const { figures, added, removed, differences } = compare(base, now, 0.1);

    assert.deepEqual([figures, added, removed], [[], ["another"], ["price"]]);
    assert.deepEqual(differences, [`Node.js v1.0.0, now ${process.version}`, "connections 8, now 1"]);
  });
});
