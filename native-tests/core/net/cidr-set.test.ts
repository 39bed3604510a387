import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { describe, test } from "node:test";

import fc from "fast-check";

import { CidrSet } from "#core/net/cidr-set.js";
import { formatIp, parseIp } from "#core/net/ip-address.js";

function holds(ranges: readonly string[], text: string): boolean {
  const set = new CidrSet(ranges);
  const answer = set.has(parseIp(text) as Uint8Array);
  assert.equal(set.hasText(text), answer, text);
  return answer;
}

describe("CidrSet", () => {
  test("holds the first and the last address of a range, and not their neighbours", () => {
    const ranges = ["10.1.0.0/16", "192.0.2.7", "2001:db8::/33", "::1/128"];

    for (const text of [
      "10.1.0.0",
      "10.1.255.255",
      "192.0.2.7",
      "2001:db8::",
      "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff",
      "::1",
    ])
      assert.ok(holds(ranges, text), text);
    for (const text of [
      "10.0.255.255",
      "10.2.0.0",
      "192.0.2.6",
      "192.0.2.8",
      "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
      "2001:db8:8000::",
      "::",
      "::2",
    ])
      assert.ok(!holds(ranges, text), text);
  });

  test("takes a mapped range for the IPv4 one, and no IPv6 range for any", () => {
    assert.ok(holds(["::ffff:10.0.0.0/104"], "10.255.0.1"));
    assert.ok(!holds(["::ffff:10.0.0.0/104"], "11.0.0.0"));
    assert.ok(holds(["10.0.0.0/8"], "::ffff:10.1.2.3"));
    assert.ok(!holds(["::/0"], "10.1.2.3"));
    assert.ok(holds(["::/0"], "2001:db8::1"));
    assert.ok(!holds(["0.0.0.0/0"], "::1"));
    assert.ok(holds(["0.0.0.0/0"], "255.255.255.255"));
  });

  test("holds nothing where it is empty, nor what is no address", () => {
    assert.ok(!holds([], "127.0.0.1"));
    const all = new CidrSet(["0.0.0.0/0", "::/0"]);
    assert.ok(!all.has(new Uint8Array(0)));
    for (const text of [
      "",
      "1.2.3",
      "1.2.3.256",
      "1.2.3.4 ",
      "01.2.3.4",
      "1.2.3.4:80",
      "::ffff:1.2.3.256",
      "ten",
    ])
      assert.equal(all.hasText(text), undefined, text);
  });

  test("names each range that is none", () => {
    assert.throws(
      () => new CidrSet(["10.0.0.0/8", "10.0.0.0/33", "::/129", "ten", "1.2.3.4/", "::ffff:1.2.3.4/95"]),
      {
        code: "CONFIG_INVALID",
        message: /^ranges: '10\.0\.0\.0\/33', '::\/129', 'ten', '1\.2\.3\.4\/', '::ffff:1\.2\.3\.4\/95'; use/,
      },
    );
  });

  test("answers as Node.js does, for any ranges and addresses", () => {
    // Few different bytes, so that ranges overlap and addresses hit them.
    const byte = fc.constantFrom(0, 1, 2, 127, 128, 255);
    const address = fc
      .constantFrom(4, 16)
      .chain((length) => fc.array(byte, { minLength: length, maxLength: length }))
      // To Node.js, ranges of IPv6 that hold the mapped addresses hold IPv4: tested above.
      .filter((bytes) => bytes.length === 4 || bytes[0] !== 0)
      .map((bytes) => formatIp(Uint8Array.from(bytes)));
    const range = fc.tuple(address, fc.nat({ max: 128 })).map(([text, bits]) => {
      return { text, bits: text.includes(":") ? Math.max(8, bits) : bits % 33 };
    });
    fc.assert(
      fc.property(
        fc.array(range, { maxLength: 12 }),
        fc.array(address, { maxLength: 40 }),
        (ranges, asked) => {
          const theirs = new BlockList();
          for (const { text, bits } of ranges)
            theirs.addSubnet(text, bits, text.includes(":") ? "ipv6" : "ipv4");
          const ours = new CidrSet(ranges.map(({ text, bits }) => `${text}/${bits}`));

          for (const text of [...asked, ...ranges.map((each) => each.text)]) {
            const expected = theirs.check(text, text.includes(":") ? "ipv6" : "ipv4");
            assert.equal(ours.has(parseIp(text) as Uint8Array), expected, text);
            assert.equal(ours.hasText(text), expected, text);
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});
