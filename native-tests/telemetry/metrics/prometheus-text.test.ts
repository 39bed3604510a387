import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { BUCKETS } from "#telemetry/metrics/measure/buckets.js";
import { type Family, mergeFamilies } from "#telemetry/metrics/measure/family.js";
import { LatencySeries } from "#telemetry/metrics/measure/latency-series.js";
import { countedUs } from "#telemetry/metrics/measure/log-linear.js";
import { Measured } from "#telemetry/metrics/measure/measured.js";
import { MetricsRegistry } from "#telemetry/metrics/metrics-registry.js";
import { labelsText, prometheusText } from "#telemetry/metrics/prometheus-text.js";
import { durations } from "../../support/durations.js";
import { hostileText } from "../../support/hostile-text.js";
import { readPrometheus } from "../../support/prometheus-reader.js";

function histogramOf(samples: readonly number[]) {
  const measured = new Measured();
  const series = new LatencySeries(measured);
  for (const us of samples) series.record(us);
  measured.fold(1);
  return series.histogram();
}

describe("Prometheus text", () => {
  test("is read back as what it was, whatever is in labels and help", () => {
    const rows = fc.uniqueArray(
      fc.tuple(hostileText(), hostileText(), fc.double({ noNaN: true, noDefaultInfinity: true })),
      {
        selector: ([a, b]) => JSON.stringify([wellFormed(a), wellFormed(b)]),
      },
    );
    fc.assert(
      fc.property(rows, hostileText(), (given, about) => {
        const registry = new MetricsRegistry(10_000);
        const help = `About ${about}`;
        registry.gauge({ name: "a_gauge", help, labels: ["first", "second"] }, () =>
          given.map(([first, second, value]) => [[first, second], value] as const),
        );

        const text = prometheusText(registry.collect());
        const [family] = readPrometheus(Buffer.from(text).toString());
        if (given.length === 0) return assert.equal(text, "");
        assert.equal(family?.help, Buffer.from(help).toString());
        assert.deepEqual(
          family?.series,
          given.map(([first, second, value]) => ({
            name: "a_gauge",
            labels: { first: wellFormed(first), second: wellFormed(second) },
            value: value === 0 ? 0 : value,
          })),
        );
      }),
    );
  });

  test("keeps labels apart that differ in half a character", () => {
    const texts = ["\ud800", "\ud801", "\udc00"].map((half) =>
      Buffer.from(labelsText([["half", half]])).toString(),
    );

    assert.equal(new Set(texts).size, 3);
  });

  for (const [name, samples] of durations())
    test(`counts in each bucket what took no longer, within a cell, of durations that are ${name}`, () => {
      fc.assert(
        fc.property(samples, (given) => {
          const registry = new MetricsRegistry(10);
          registry.histogram({ name: "a_seconds", help: "Some.", labels: ["of"] }, () => [
            [["x"], histogramOf(given)],
          ]);

          const [family] = readPrometheus(prometheusText(registry.collect()));
          const series = family?.series ?? [];
          const counted = given.map(countedUs);
          const below = (bound: number) => counted.filter((us) => us <= bound * 1e6 + 1e-6).length;
          let least = 0;
          for (const [at, bound] of BUCKETS.entries()) {
            const { labels, value } = series[at] as (typeof series)[number];
            assert.deepEqual(labels, { of: "x", le: String(bound) });
            assert.ok(value >= below(bound * (1 - 1 / 64)) && value <= below(bound * (1 + 1 / 64)));
            assert.ok(value >= least);
            least = value;
          }
          const rest = series.slice(BUCKETS.length).map((one) => [one.name, one.labels["le"], one.value]);
          assert.deepEqual(rest, [
            ["a_seconds_bucket", "+Inf", given.length],
            ["a_seconds_sum", undefined, counted.reduce((sum, us) => sum + us, 0) / 1e6],
            ["a_seconds_count", undefined, given.length],
          ]);
        }),
        { numRuns: 30 },
      );
    });
});

describe("the registry of metrics", () => {
  const registry = () => new MetricsRegistry(3);

  test("refuses names that Prometheus's linter would, and says what to do", () => {
    const refused = (call: () => unknown, message: RegExp) =>
      assert.throws(call, { code: "CONFIG_INVALID", message });

    refused(() => registry().counter({ name: "sold", help: "Sold." }, () => 1), /ends with _total/);
    refused(
      () => registry().gauge({ name: "sold_total", help: "Sold." }, () => 1),
      /only the name of a counter/,
    );
    for (const name of ["", "Sold", "so-ld", "sold__now", "_sold", "sold_", "9_lives"])
      refused(() => registry().gauge({ name, help: "Sold." }, () => 1), /use a name like/);
    for (const label of ["le", "", "a-b", "__name__"])
      refused(
        () => registry().gauge({ name: "sold", help: "S.", labels: [label] }, () => []),
        /use labels like/,
      );
    refused(() => registry().gauge({ name: "sold", help: " " }, () => 1), /say in `help`/);
    const both = registry();
    both.gauge({ name: "sold", help: "Sold." }, () => 1);
    refused(() => both.gauge({ name: "sold", help: "Sold." }, () => 1), /there is one of this name/);
  });

  test("shows no more series of a family than it may, and counts the others", () => {
    const bounded = registry();
    bounded.counter({ name: "sold_total", help: "Sold.", labels: ["what"] }, () =>
      ["a", "b", "c", "d", "e"].map((what) => [[what], 1] as const),
    );

    assert.deepEqual(
      bounded.collect()[0]?.series.map(([labels]) => labels),
      ['what="a"', 'what="b"', 'what="c"'],
    );
    assert.equal(bounded.dropped, 2);
  });

  test("shows one of two series with the same labels", () => {
    const twice = registry();
    twice.gauge({ name: "sold", help: "Sold.", labels: ["what"] }, () => [
      [["a"], 1],
      [["a"], 2],
    ]);

    assert.deepEqual(twice.collect()[0]?.series, [['what="a"', 1]]);
    assert.equal(twice.dropped, 1);
  });

  test("leaves out what throws, or has other labels than it said, and shows the others", () => {
    const partly = registry();
    partly.gauge({ name: "broken", help: "Throws." }, () => {
      throw new Error("gone");
    });
    partly.gauge({ name: "short", help: "Has no label.", labels: ["what"] }, () => 1);
    partly.gauge({ name: "whole", help: "Works." }, () => 2);

    assert.deepEqual(
      partly.collect().map(({ name }) => name),
      ["whole"],
    );
    assert.equal(partly.failures, 2);
  });

  test("leaves out figures that are no finite numbers", () => {
    const registered = registry();
    registered.gauge({ name: "figures", help: "Some.", labels: ["of"] }, () => [
      [["a"], Number.NaN],
      [["b"], Number.POSITIVE_INFINITY],
      [["c"], 3],
    ]);

    assert.deepEqual(registered.collect()[0]?.series, [['of="c"', 3]]);
    assert.equal(registered.dropped, 0);
  });

  test("forgets what was taken away, and nothing else", () => {
    const changing = registry();
    const remove = changing.gauge({ name: "sold", help: "Sold." }, () => 1);
    remove();
    changing.gauge({ name: "sold", help: "Sold again." }, () => 2);
    remove();

    assert.deepEqual(changing.definitions, [{ name: "sold", help: "Sold again.", type: "gauge" }]);
  });
});

describe("families of several processes", () => {
  const figure = fc.integer({ min: 0, max: 1e6 });
  const labels = fc.constantFrom('of="a"', 'of="b"', 'of="c"');
  const series = <V>(value: fc.Arbitrary<V>) =>
    fc.uniqueArray(fc.tuple(labels, value), { selector: ([text]) => text });
  const histogram = fc
    .array(figure, { minLength: BUCKETS.length, maxLength: BUCKETS.length })
    .map((counts) => {
      const sorted = counts.sort((a, b) => a - b);
      return { buckets: sorted, count: (sorted.at(-1) as number) + 3, sum: sorted.length };
    });
  const families: fc.Arbitrary<readonly Family[]> = fc
    .tuple(series(figure), series(figure), series(figure), series(figure), series(histogram))
    .map(([counter, sum, max, min, seconds]) => [
      { name: "c_total", help: "C.", type: "counter", series: counter },
      { name: "g", help: "G.", type: "gauge", merging: "sum", series: sum },
      { name: "most", help: "M.", type: "gauge", merging: "max", series: max },
      { name: "least", help: "L.", type: "gauge", merging: "min", series: min },
      { name: "h_seconds", help: "H.", type: "histogram", series: seconds },
    ]);

  test("merge in any order", () => {
    const text = (...all: readonly (readonly Family[])[]) =>
      prometheusText(all.reduce((left, right) => mergeFamilies(left, right)));
    fc.assert(
      fc.property(families, families, families, (a, b, c) => {
        assert.equal(text(a, b), text(b, a));
        assert.equal(text(mergeFamilies(a, b), c), text(a, mergeFamilies(b, c)));
      }),
    );
  });

  test("are added, or the greatest or least of them", () => {
    const of = (value: number): readonly Family[] => [
      { name: "c_total", help: "C.", type: "counter", series: [["", value]] },
      { name: "most", help: "M.", type: "gauge", merging: "max", series: [["", value]] },
      { name: "least", help: "L.", type: "gauge", merging: "min", series: [["", value]] },
    ];

    assert.deepEqual(
      mergeFamilies(of(3), of(5)).map((family) => family.series),
      [[["", 8]], [["", 5]], [["", 3]]],
    );
  });
});

/** What a scraper of UTF-8 gets of a text with halves of characters in it. */
const wellFormed = (text: string): string =>
  text.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
