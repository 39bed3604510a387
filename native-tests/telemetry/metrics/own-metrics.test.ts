import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Counter, Framework, Histogram } from "framework";

import { BUCKETS } from "#telemetry/metrics/measure/buckets.js";
import { Metrics } from "#telemetry/metrics/metrics.js";

const invalid = { code: "CONFIG_INVALID" };

describe("a program's own metrics", () => {
  test("count from when they are made, and are shown with their labels", () => {
    const sold = new Counter({ name: "sold_total", help: "Sold.", labels: ["kind", "shop"] });
    const all = new Counter({ name: "all_total", help: "All." });
    sold.add(2, { kind: "rye", shop: 'a"b' });
    const metrics = new Metrics();
    for (const own of [sold, all]) own.register(metrics.registry);
    sold.add(1, { shop: 'a"b', kind: "rye" });
    sold.add(1, { kind: "wheat", shop: "c" });
    all.add(3);

    const lines = metrics.text().split("\n");
    assert.ok(lines.includes('sold_total{kind="rye",shop="a\\"b"} 3'));
    assert.ok(lines.includes('sold_total{kind="wheat",shop="c"} 1'));
    assert.ok(lines.includes("all_total 3"));
    assert.ok(lines.includes("# TYPE sold_total counter"));
  });

  test("put a duration into each bucket whose bound it does not exceed", () => {
    const waited = new Histogram({ name: "wait_seconds", help: "Waited." });
    const metrics = new Metrics();
    waited.register(metrics.registry);
    for (const seconds of [0, 0.01, 0.0100001, 11]) waited.record(seconds);

    const family = metrics.families().find(({ name }) => name === "wait_seconds");
    assert.ok(family?.type === "histogram");
    const [, value] = family.series[0] ?? assert.fail("no series");
    assert.deepEqual([value.count, value.sum], [4, 11.0200001]);
    assert.deepEqual(
      value.buckets,
      BUCKETS.map((bound) => (bound < 0.01 ? 1 : bound < 0.025 ? 2 : 3)),
    );
  });

  test("have a bound of series: what has no room is counted as dropped, and what has goes on", () => {
    const sold = new Counter({ name: "sold_total", help: "Sold.", labels: ["kind"], maxSeries: 2 });
    const metrics = new Metrics();
    sold.register(metrics.registry);
    for (const kind of ["a", "b", "c", "d", "a"]) sold.add(1, { kind });

    assert.equal(sold.dropped, 2);
    const lines = metrics.text().split("\n");
    assert.deepEqual(
      lines.filter((line) => line.startsWith("sold_total{")),
      ['sold_total{kind="a"} 2', 'sold_total{kind="b"} 1'],
    );
  });

  test("are refused early: names, labels, amounts and bounds that are none, and a name that is there", () => {
    assert.throws(() => new Counter({ name: "sold", help: "Sold." }), invalid);
    assert.throws(() => new Counter({ name: "sold_total", help: "" }), invalid);
    assert.throws(() => new Histogram({ name: "wait_seconds", help: "W.", labels: ["le"] }), invalid);
    assert.throws(() => new Counter({ name: "sold_total", help: "S.", maxSeries: 0 }), invalid);
    assert.throws(() => new Counter({ name: "sold_total", help: "S.", colour: 1 } as never), invalid);
    const sold = new Counter({ name: "sold_total", help: "Sold." });
    for (const amount of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      assert.throws(() => sold.add(amount), invalid);
    const metrics = new Metrics();
    sold.register(metrics.registry);
    assert.throws(() => sold.register(metrics.registry), invalid);
    assert.throws(() => Framework.http().inspector({ metrics: [{} as never] }), invalid);
  });
});
