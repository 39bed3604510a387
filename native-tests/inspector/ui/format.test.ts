import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import type { Window } from "../../../src/inspector/api/metrics.js";
import { duration } from "../../../src/inspector/ui/format/duration.js";
import { faultInShort, faultInWords } from "../../../src/inspector/ui/format/fault.js";
import { basis, latency } from "../../../src/inspector/ui/format/figure.js";
import { absolute, ago, ahead, left } from "../../../src/inspector/ui/format/moment.js";
import { bytes, count, counted, percent, rate } from "../../../src/inspector/ui/format/quantity.js";

const plain = (text: string): string => text.replaceAll("\u00a0", " ");

describe("durations", () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, "0 µs"],
    [0.42, "0.42 µs"],
    [7, "7 µs"],
    [412.4, "412 µs"],
    [999.4, "999 µs"],
    [999.5, "1.00 ms"],
    [1240, "1.24 ms"],
    [12_400, "12.4 ms"],
    [999_499, "999 ms"],
    [999_500, "1.00 s"],
    [59_940_000, "59.9 s"],
    [59_960_000, "1 min"],
    [200_000_000, "3 min 20 s"],
    [3_599_400_000, "59 min 59 s"],
    [3_600_000_000, "1 h"],
    [5_400_000_000, "1 h 30 min"],
    [176_400_000_000, "2 d 1 h"],
  ];
  for (const [us, text] of cases)
    test(`of ${us} microseconds read ${text}`, () => assert.equal(plain(duration(us)), text));

  test("have at most three figures and one unit below a minute", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 59_000_000, noNaN: true }), (us) => {
        assert.match(plain(duration(us)), /^(\d{1,3}|\d\.\d\d|\d\d\.\d) (µs|ms|s)$/);
      }),
    );
  });

  test("read back to within half of their last figure", () => {
    const units: Readonly<Record<string, number>> = { µs: 1, ms: 1e3, s: 1e6 };
    fc.assert(
      fc.property(fc.double({ min: 1, max: 59_000_000, noNaN: true }), (us) => {
        const [number, unit] = plain(duration(us)).split(" ") as [string, string];
        const read = Number(number) * (units[unit] as number);
        assert.ok(Math.abs(read - us) <= us * 0.0051, `${us} reads ${number} ${unit}`);
      }),
    );
  });
});

describe("quantities", () => {
  test("are short, and as true as they are short", () => {
    assert.deepEqual([0, 842, 9999, 10_000, 24_720, 1_500_000, 2e9].map(count), [
      ...["0", "842", "9999", "10k", "24.7k", "1.50M", "2G"],
    ]);
    assert.deepEqual([0, 0.2, 22.5, 412, 1880].map(rate), ["0/s", "0.20/s", "22.5/s", "412/s", "1880/s"]);
    assert.deepEqual([0, 512, 1536, 24_000_000].map(bytes).map(plain), [
      "0 B",
      "512 B",
      "1.50 KB",
      "22.9 MB",
    ]);
    assert.deepEqual([plain(counted(1, "run")), plain(counted(2, "run"))], ["1 run", "2 runs"]);
  });

  test("show what is not nothing as more, and what is not all as less", () => {
    assert.deepEqual([0, 1, 0.0004, 0.0123, 0.5, 0.9996, 0.0999].map(percent).map(plain), [
      ...["0 %", "100 %", "<0.1 %", "1.2 %", "50 %", ">99.9 %", "10 %"],
    ]);
    fc.assert(
      fc.property(fc.double({ min: Number.MIN_VALUE, max: 1 - Number.EPSILON, noNaN: true }), (share) => {
        assert.ok(!["0 %", "0.0 %", "100 %", "100.0 %"].includes(plain(percent(share))), String(share));
      }),
    );
  });
});

describe("moments", () => {
  test("that come are relative, and now once they have passed", () => {
    const texts = [-5000, 0, 1, 59_500, 61_000, 7_200_000, 172_800_000].map((ms) => ahead(1e10 + ms, 1e10));
    assert.deepEqual(texts.map(plain), ["now", "now", "in 1 s", "in 1 min", "in 1 min", "in 2 h", "in 2 d"]);
  });

  test("are relative, and never in the future", () => {
    const texts = [-5000, 0, 999, 1000, 59_000, 60_000, 7_200_000, 172_800_000].map((ms) =>
      ago(10_000_000_000 - ms, 1e10),
    );
    assert.deepEqual(texts.map(plain), [
      "now",
      "now",
      "now",
      "1 s ago",
      "59 s ago",
      "1 min ago",
      "2 h ago",
      "2 d ago",
    ]);
  });

  test("are exact where they are asked for", () => {
    assert.match(
      absolute(Date.UTC(2026, 10, 22, 14, 43, 38, 7)),
      /^2026-11-2\d \d\d:\d3:38\.007$|^2026-11-2\d \d\d:\d\d:38\.007$/,
    );
  });

  test("of an end count down to nothing and stay there", () => {
    assert.deepEqual(
      [22_000, 900, 1, 0, -5].map((ms) => plain(left(ms, 0))),
      ["22 s", "1 s", "1 s", "0 s", "0 s"],
    );
  });
});

describe("figures", () => {
  const p = { p50_us: 10, p90_us: 20, p95_us: 25, p99_us: 90, p99_9_us: 99, max_us: 120, mean_us: 12 };
  const window = (samples: number, count = samples): Window => ({
    ...{
      seconds: 10,
      count,
      per_second: count / 10,
      faults: 0,
      errors: 0,
      refused: 0,
      error_share: 0,
      samples,
      latency: samples > 0 ? p : null,
    },
  });

  test("are not shown of fewer samples than they need", () => {
    assert.deepEqual(
      [latency(window(99), "p99_us"), latency(window(100), "p99_us"), latency(window(999), "p99_9_us")].map(
        plain,
      ),
      ["too few", "90 µs", "too few"],
    );
    assert.equal(latency(window(0, 5), "max_us"), "–");
    assert.equal(latency(window(0), "max_us"), "–");
    assert.equal(latency(undefined, "max_us"), "–");
  });

  test("say their window, and what was timed of it", () => {
    assert.equal(plain(basis("p99", window(412))), "p99, last 10 s, 412 runs");
    assert.equal(plain(basis("p99", window(412, 6600))), "p99, last 10 s, 412 of 6600 runs timed");
  });
});

describe("faults", () => {
  const fault = {
    node: "a/iam",
    label: "customers",
    code: "ACCESS_DENIED",
    status: 403,
    title: "Access denied",
    detail: null,
  };

  test("are named by their code and place", () => {
    assert.equal(faultInShort(fault), "ACCESS_DENIED at iam (403)");
    assert.equal(faultInShort({ ...fault, code: null, status: null }), "Access denied at iam");
  });

  test("are told as refusals of what guards, and as failures of what works", () => {
    assert.equal(faultInWords(fault, "Iam"), "iam: 403, Access denied");
    assert.equal(faultInWords({ ...fault, detail: "no role" }, "Atom"), "iam: 403, Access denied: no role");
  });
});
