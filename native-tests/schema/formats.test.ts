import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { formats } from "#schema/formats.js";

const CASES: Readonly<Record<string, { readonly good: readonly string[]; readonly bad: readonly string[] }>> =
  {
    date: {
      good: ["2024-02-29", "2000-02-29", "1999-12-31"],
      bad: [
        "2023-02-29",
        "1900-02-29",
        "2024-13-01",
        "2024-00-10",
        "2024-04-31",
        "2024-01-00",
        "24-01-01",
        "2024-1-1",
      ],
    },
    time: {
      good: ["12:00:00Z", "23:59:60Z", "00:00:00.123+01:30", "22:59:60-01:00"],
      bad: ["12:00:00", "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "12:00:00+24:00", "12:00Z"],
    },
    "date-time": {
      good: ["2024-02-29T12:00:00Z", "2024-02-29t12:00:00.5z", "2024-02-29 12:00:00+00:00"],
      bad: ["2024-02-30T12:00:00Z", "2024-02-29T12:00:00", "2024-02-29_12:00:00Z", "2024-02-29"],
    },
    duration: {
      good: ["P1D", "PT1H30M", "P2W", "P1Y2M3DT4H5M6S"],
      bad: ["P", "PT", "1D", "P1H", "P1DT", "P1W2D"],
    },
    email: {
      good: ["a@b.co", "first.last+tag@example.co.uk", "x@localhost"],
      bad: ["a", "@b.co", "a@", "a b@c.de", "a@b..co", ".a@b.co", "a@-b.co", `${"a".repeat(65)}@b.co`],
    },
    hostname: {
      good: ["example.org", "a-b.c", "xn--bcher-kva.example"],
      bad: ["-a.b", "a..b", "a_b", "", "a".repeat(64), `${"a.".repeat(127)}a.b`],
    },
    ipv4: { good: ["127.0.0.1", "255.255.255.255"], bad: ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"] },
    ipv6: {
      good: ["::1", "2001:db8::1", "::ffff:127.0.0.1"],
      bad: [":::1", "1::2::3", "fe80::1%eth0", "12345::"],
    },
    uri: {
      good: ["https://example.org/a?b#c", "urn:isbn:0451450523", "mailto:a@b.co", "http://[::1]:80/"],
      bad: ["/a", "example.org", "http://a b", "http://a/%zz", ":a"],
    },
    "uri-reference": { good: ["/a?b", "#c", "https://example.org"], bad: ["a b", "\\a", "%zz"] },
    uuid: {
      good: ["0190f2b0-1111-7000-8000-000000000001", "00000000-0000-0000-0000-000000000000"],
      bad: [
        "0190f2b0111170008000000000000001",
        "0190f2b0-1111-7000-8000-00000000000g",
        "{0190f2b0-1111-7000-8000-000000000001}",
      ],
    },
    "json-pointer": { good: ["", "/", "/a/b~0c~1d"], bad: ["a", "/a~2", "#/a"] },
  };

describe("formats", () => {
  test("are all in the table of this test", () => {
    assert.deepEqual([...formats.keys()].sort(), Object.keys(CASES).sort());
  });

  for (const [name, { good, bad }] of Object.entries(CASES)) {
    test(`${name} takes what is one, and nothing else`, () => {
      const check = formats.get(name);

      assert.deepEqual(
        good.filter((value) => check?.(value) !== true),
        [],
        "refused",
      );
      assert.deepEqual(
        bad.filter((value) => check?.(value) !== false),
        [],
        "taken",
      );
    });
  }

  test("take no longer for a long value than for its length", () => {
    for (const check of formats.values()) {
      for (const value of [
        "a".repeat(50_000),
        "a.".repeat(50_000),
        "1".repeat(50_000),
        `${"a@".repeat(50_000)}b`,
      ])
        check(value);
    }
  });
});
