import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { formats } from "#schema/formats/formats.js";

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
    // RFC 3339, appendix A.
    duration: {
      good: ["P1D", "PT1H30M", "P2W", "P1Y2M3DT4H5M6S", "P3M4D", "PT5M6S", "P007D", "P1MT1M", "p1dt1h"],
      bad: [
        "P",
        "PT",
        "1D",
        "P1H",
        "P1DT",
        "P1W2D",
        "P1Y2D",
        "PT1H2S",
        "P2D1Y",
        "PT1.5S",
        "P1",
        "P-1D",
      ].concat(["P1WT1H", "P1D\n", ""]),
    },
    // RFC 5321, section 4.1.2.
    email: {
      good: [
        "a@b.co",
        "first.last+tag@example.co.uk",
        "x@localhost",
        `"a b"@c.de`,
        `"a@b"@c.de`,
        `""@c.de`,
      ].concat([
        `"a..b"@c.de`,
        `"\\"\\\\"@c.de`,
        "a@[192.0.2.1]",
        "a@[192.000.2.001]",
        "a@[IPv6:2001:db8::1]",
        "a@[ipv6:::1]",
        "a@1.2.3.4",
      ]),
      bad: ["a", "@b.co", "a@", "a b@c.de", "a@b..co", ".a@b.co", "a@-b.co", `${"a".repeat(65)}@b.co`].concat(
        [
          `"a"b@c.de`,
          `"a@c.de`,
          `a"@c.de`,
          `"a"b"@c.de`,
          `"\\"@c.de`,
          `"\u00e9"@c.de`,
          `"\t"@c.de`,
          "a@b.co\n",
        ],
        [
          "a@[192.0.2.256]",
          "a@[192.0.2]",
          "a@[]",
          "a@[::1]",
          "a@[IPv6:1]",
          "a@[IPv6:fe80::1%1]",
          "a@[192.0.2.1",
        ],
        [`"${"a".repeat(63)}"@b.co`, "a@b@c.de", "a(b)@c.de", "a@b.co.", "[192.0.2.1]@b.co"],
      ),
    },
    // RFC 1123, section 2.1, and RFC 5890 for labels that begin with xn--.
    hostname: {
      good: [
        "example.org",
        "a-b.c",
        "xn--bcher-kva.example",
        "XN--Bcher-KVA",
        "1a",
        "a--b.c",
        "ab--c.d",
      ].concat(["xn--fa-hia", "xn--3e0b707e", "xn--mgberp4a5d4ar"]),
      bad: [
        "-a.b",
        "a..b",
        "a_b",
        "",
        "a".repeat(64),
        `${"a.".repeat(127)}a.b`,
        "a-.b",
        "a.b.",
        "b\u00fccher.de",
      ].concat(
        // No Punycode, text that is written without it, a heart, a misplaced middle dot and Katakana dot.
        ["xn--x", "xn--a", "xn--abc-", "xn--g6h", "xn--al-0ea", "xn--vek", "a.xn--", "XN--aa---o47jg78q"],
      ),
    },
    ipv4: { good: ["127.0.0.1", "255.255.255.255"], bad: ["256.0.0.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"] },
    ipv6: {
      good: ["::1", "2001:db8::1", "::ffff:127.0.0.1"],
      bad: [":::1", "1::2::3", "fe80::1%eth0", "12345::"],
    },
    // RFC 3986, appendix A.
    uri: {
      good: ["https://example.org/a?b#c", "urn:isbn:0451450523", "mailto:a@b.co", "http://[::1]:80/"].concat(
        [
          "http://u:p@h:1/a//b;c=d?e/f?#/g?",
          "file:///etc",
          "x:",
          "x:/",
          "http://",
          "http://a:",
          "http://@a",
          "a:b:c",
        ],
        [
          "http://[v1.x:y]/",
          "http://999.0.0.1/",
          "http://a_b~c/",
          "x:a/b@c:d",
          "http://a/%c3%bc",
          "http://:80",
        ],
      ),
      bad: [
        "/a",
        "example.org",
        "http://a b",
        "http://a/%zz",
        ":a",
        "",
        "1:a",
        "a_b:c",
        "http://a/\n",
      ].concat(
        [
          "http://[::1",
          "http://[1]/",
          "http://[::1%25eth0]/",
          "http://[::1]x/",
          "http://a[::1]/",
          "http://[a@b/",
        ],
        ["http://a/[b]", "http://a/?[b]", "http://a#b#c", "http://a:b/", "http://a:1:2/", "http://a@b@c/"],
        [
          "http://a/%",
          "http://a/%a",
          "http://a/b|c",
          "http://a/{b}",
          "http://a/\u00fc",
          "http://[::ffff:1.2.3.04]",
        ],
      ),
    },
    "uri-reference": {
      good: [
        "/a?b",
        "#c",
        "https://example.org",
        "",
        "?a",
        "a",
        "a/b:c",
        "./a:b",
        "//a:1/b",
        "//",
        "//[v1.a]",
      ],
      bad: ["a b", "\\a", "%zz", "1:b", "a_b:c", "/[a]", "#a#b", "//a:b/c", "//a@b@c", "//[1]", "?[", "/\n"],
    },
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
        `http://${"a:".repeat(50_000)}`,
        `//${"a/".repeat(50_000)}\n`,
        `"${"\\a".repeat(50_000)}`,
        `P${"1".repeat(50_000)}`,
      ])
        check(value);
    }
  });
});
