import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { CountHistory } from "#telemetry/metrics/measure/count-history.js";
import { Distribution } from "#telemetry/metrics/measure/distribution.js";
import { LatencySeries } from "#telemetry/metrics/measure/latency-series.js";
import { Measured } from "#telemetry/metrics/measure/measured.js";
import { RecentSamples } from "#telemetry/metrics/measure/recent-samples.js";
import { KEPT_SLICES, KEPT_TICKS, Seconds, WINDOWS } from "#telemetry/metrics/measure/seconds.js";
import { Slab } from "#telemetry/metrics/measure/slab.js";
import type { WindowSnapshot } from "#telemetry/metrics/metrics-snapshot.js";
import { windowSnapshots } from "#telemetry/metrics/window-snapshots.js";

const slabOf = (samples: readonly number[]): Slab => {
  const slab = new Slab();
  for (const us of samples) slab.record(us);
  return slab;
};

/** What `samples` are as cells. */
function cellsOf(samples: readonly number[]) {
  const measured = new Measured();
  const series = new LatencySeries(measured);
  for (const us of samples) series.record(us);
  measured.fold(1);
  return series.total.cells();
}

/** What is measured of a thing with these samples in its ticks of a second. */
function measuredOver(ticks: readonly (readonly number[])[]) {
  const measured = new Measured();
  const latencies = new LatencySeries(measured);
  const history = new CountHistory();
  const counts = new Float64Array(1);
  const seconds = new Seconds(0);
  ticks.forEach((samples, at) => {
    for (const us of samples) latencies.record(us);
    counts[0] = (counts[0] as number) + samples.length;
    const tick = seconds.tick((at + 1) * 1000);
    measured.fold(tick);
    history.note(tick, counts);
  });
  const countDuring = (first: number, last?: number) => history.during(0, first, last);
  return { seconds, windowed: { latencies, countDuring, faultsDuring: () => 0 } };
}

const samplesIn = ({ pairs, sumUs, maxUs }: WindowSnapshot) => ({ pairs, sumUs, maxUs });

describe("seconds", () => {
  test("give a window the ticks that its seconds cover, and half a second more", () => {
    const seconds = new Seconds(0);
    assert.deepEqual(seconds.window(60), { firstTick: 1, spanMs: 0 });
    for (let now = 1000; now <= 100_000; now += 1000) seconds.tick(now + (now % 3000) / 30);

    assert.deepEqual(
      WINDOWS.map((length) => seconds.window(length).firstTick),
      [100, 91, 41],
    );
  });

  test("tell how long a window is: of a young process shorter, after a late tick longer", () => {
    const seconds = new Seconds(500);
    seconds.tick(1500);
    seconds.tick(2500);

    assert.deepEqual(seconds.window(60), { firstTick: 1, spanMs: 2000 });
    seconds.tick(8500);
    assert.deepEqual(seconds.window(1), { firstTick: 3, spanMs: 6000 });
    assert.deepEqual(seconds.window(10), { firstTick: 1, spanMs: 8000 });
  });
});

describe("recent samples", () => {
  /** For each of some ticks, what was measured in it. */
  const ticks = fc.array(
    fc.tuple(
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.oneof(fc.nat(300), fc.nat(4_000_000_000)), { minLength: 1, maxLength: 30 }),
    ),
    { minLength: 1, maxLength: 40 },
  );

  test("are those of the ticks that are asked for, however long ago others were", () => {
    fc.assert(
      fc.property(ticks, fc.nat(KEPT_TICKS - 1), fc.nat(KEPT_TICKS - 1), (steps, from, length) => {
        const recent = new RecentSamples();
        const kept: { readonly tick: number; readonly samples: readonly number[] }[] = [];
        let tick = 0;
        for (const [step, samples] of steps) {
          tick += step;
          recent.take(tick, slabOf(samples));
          kept.push({ tick, samples });
        }
        const first = tick - from;
        const last = first + length;

        const found = new Distribution();
        recent.addTo(found, first, last);
        const wanted = kept.flatMap((one) => (one.tick >= first && one.tick <= last ? one.samples : []));
        assert.deepEqual(found.cells(), cellsOf(wanted));
      }),
    );
  });

  test("take no more room than a minute of them needs", () => {
    const everything = slabOf(Array.from({ length: 100_000 }, (_, at) => at ** 1.9));
    const recent = new RecentSamples();
    for (let tick = 1; tick <= 3 * KEPT_TICKS; tick += 1) recent.take(tick, everything);

    assert.ok(recent.bytes <= 262_144, `${recent.bytes}`);
    const few = new RecentSamples();
    for (let tick = 1; tick <= 1000; tick += 1) few.take(tick, slabOf([5, 6, 7]));
    assert.ok(few.bytes <= 4096, `${few.bytes}`);
  });

  test("count more in one second than one word holds", () => {
    const slab = slabOf([7]);
    slab.cells[7] = 4_000_000_000;
    const recent = new RecentSamples();
    recent.take(1, slab);

    const found = new Distribution();
    recent.addTo(found, 1);
    assert.deepEqual(found.cells().pairs, [7, 4_000_000_000]);
  });
});

describe("the history of counters", () => {
  test("tells what was counted in any of the last sixty ticks", () => {
    const counted = fc.array(fc.tuple(fc.nat(3), fc.nat(5)), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(counted, fc.nat(KEPT_TICKS - 1), fc.nat(KEPT_TICKS - 1), (ticks, from, length) => {
        const history = new CountHistory();
        const values = new Float64Array(2);
        ticks.forEach(([a, b], at) => {
          values[0] = (values[0] as number) + a;
          values[1] = (values[1] as number) + b;
          history.note(at + 1, values);
        });
        const first = Math.max(1, ticks.length - from);
        const last = first + length;

        const wanted = ticks.slice(first - 1, last).reduce((sum, [, b]) => sum + b, 0);
        assert.equal(history.during(1, first, last), wanted);
        assert.equal(history.value(1), values[1]);
      }),
    );
  });

  test("takes counters that come later", () => {
    const history = new CountHistory();
    history.note(1, Float64Array.of(5));
    history.note(3, Float64Array.of(6, 2));

    assert.deepEqual([history.during(0, 2), history.during(1, 1), history.during(1, 4)], [1, 2, 0]);
  });
});

describe("windows", () => {
  test("hold the samples and counts of their ticks, and the longer ones those of the shorter", () => {
    const plan = fc.array(fc.array(fc.nat(2_000_000), { maxLength: 5 }), { minLength: 1, maxLength: 90 });
    fc.assert(
      fc.property(plan, (ticks) => {
        const { seconds, windowed } = measuredOver(ticks);

        for (const [at, length] of WINDOWS.entries()) {
          const window = windowSnapshots(seconds, windowed)[at] ?? assert.fail();
          const wanted = ticks.slice(-length).flat();
          assert.equal(window.count, wanted.length);
          assert.equal(window.spanMs, Math.min(length, ticks.length) * 1000);
          assert.deepEqual(samplesIn(window), cellsOf(wanted));
        }
      }),
    );
  });

  test("of ten minutes, to the nearest half minute, and since the start hold all of their ticks", () => {
    const plan = fc.record({
      ticks: fc.integer({ min: 1, max: 1500 }),
      every: fc.constantFrom(1, 7, 29, 61, 400),
      us: fc.nat(100_000),
      idleFor: fc.constantFrom(0, 0, 700),
    });
    fc.assert(
      fc.property(plan, ({ ticks, every, us, idleFor }) => {
        const all = Array.from({ length: ticks }, (_, at) =>
          at % every === 0 && at < ticks - idleFor ? [us + at, at % 64] : [],
        );
        const { seconds, windowed } = measuredOver(all);
        const [whole] = windowSnapshots(seconds, windowed, [null]);
        const [long] = windowSnapshots(seconds, windowed, [600]);
        assert.ok(whole !== undefined && long !== undefined);

        assert.deepEqual([whole.count, whole.spanMs], [all.flat().length, ticks * 1000]);
        assert.deepEqual(samplesIn(whole), cellsOf(all.flat()));
        const wanted = all.slice(-long.spanMs / 1000).flat();
        assert.ok(ticks < 600 ? long.spanMs === ticks * 1000 : Math.abs(long.spanMs - 600_000) <= 15_000);
        assert.equal(long.count, wanted.length);
        assert.deepEqual(samplesIn(long), cellsOf(wanted));
      }),
      { numRuns: 40 },
    );
  });

  test("of ten minutes cost a measured thing less than 16 KB, where its durations are alike", () => {
    const slices = new RecentSamples(KEPT_SLICES);
    const alike = slabOf(Array.from({ length: 90 }, (_, at) => 1000 + at * 30));
    for (let slice = 1; slice <= 100; slice += 1) slices.take(slice, alike);

    assert.ok(slices.bytes + new Slab().cells.byteLength <= 16_384, `${slices.bytes}`);
  });

  test("leave what is idle alone", () => {
    const measured = new Measured();
    const [busy, idle] = [new LatencySeries(measured), new LatencySeries(measured)];
    busy.record(5);
    busy.record(6);

    const folded: LatencySeries[] = [];
    for (const series of [busy, idle]) series.fold = () => void folded.push(series);
    measured.fold(1);
    measured.fold(2);
    assert.deepEqual(folded, [busy]);
  });
});

describe("measured durations", () => {
  test("are counted outside of whoever measures, from some number on, and all of them by the tick", async () => {
    const measured = new Measured();
    const counted: number[] = [];
    const slab = new Slab();
    slab.record = (us) => void counted.push(us);
    const number = measured.join({ slab: () => slab, fold: () => {} });
    const add = (from: number, to: number): void => {
      for (let us = from; us < to; us += 1) measured.add(number, us);
    };
    add(0, 1100);
    assert.equal(counted.length, 0);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(counted.length, 1100);
    add(1100, 1105);
    measured.fold(1);
    assert.equal(counted.length, 1105);

    add(1105, 10_000);
    assert.ok(counted.length > 10_000 - 2048, "in a turn that does not end too");
    measured.fold(2);
    assert.deepEqual(
      counted,
      Array.from({ length: 10_000 }, (_, us) => us),
    );
    assert.ok(measured.longestMs > 0);
  });
});
