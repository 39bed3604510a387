import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, test } from "node:test";

import fc from "fast-check";

import { formatIp, parseIp, unmapped } from "#core/net/ip-address.js";

const canonical = (text: string): string | undefined => {
  const bytes = parseIp(text);
  return bytes && formatIp(bytes);
};

describe("addresses", () => {
  test("have one text, the canonical one", () => {
    for (const [text, expected] of [
      ["127.0.0.1", "127.0.0.1"],
      ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
      ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
      ["0:0:0:0:0:0:0:0", "::"],
      ["::1", "::1"],
      ["1::", "1::"],
      ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
      ["::FFFF:10.1.2.3", "10.1.2.3"],
      ["::ffff:a01:203", "10.1.2.3"],
      ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
      ["::fffe:10.1.2.3", "::fffe:a01:203"],
    ] as const) {
      assert.equal(canonical(text), expected, text);
    }
  });

  test("have their own texts whichever were written before", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(...Array(4).fill(fc.constantFrom(0, 1, 9, 10, 127, 255)))),
        (addresses) => {
          for (const address of [[0, 0, 0, 0], ...addresses])
            assert.equal(formatIp(Uint8Array.from(address as number[])), address.join("."));
        },
      ),
    );
  });

  test("are not read from what is none", () => {
    for (const text of [
      "",
      "1.2.3",
      "1.2.3.4.5",
      "01.2.3.4",
      "1.2.3.256",
      "1.2.3.-4",
      "1.2.3.4 ",
      "00.2.3.4",
      "1.2.3.0000",
      "1.2.3.",
      ".2.3.4",
      "1..3.4",
      "a.2.3.4",
      "1.2.3.4:80",
      "0x1.2.3.4",
      "१.2.3.4",
      ":::",
      "1::2::3",
      ":1",
      "1:",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "1:2:3:4::5:6:7:8",
      "1:2:3:4:5:6:7:1.2.3.4",
      "1:2:3:4:5:6:7:",
      "::1:",
      "12345::",
      "g::",
      "[::1]",
      "fe80::1%eth0",
      "::1.2.3.4.5",
      "1.2.3.4::",
      "unknown",
      "::".repeat(40),
    ])
      assert.equal(parseIp(text), undefined, text);
  });

  test("are told from other text as Node.js tells them, zones aside", () => {
    const pieces = fc.array(
      fc.constantFrom("0", "1", "ff", "a0b1", "255", "256", ":", "::", ".", "f", "1.2.3.4"),
      {
        maxLength: 16,
      },
    );
    const texts = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      pieces.map((all) => all.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        assert.equal(parseIp(text) !== undefined, isIP(text) !== 0);
      }),
      { numRuns: 2000 },
    );
  });

  test("are read from their canonical text again", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 4, maxLength: 4 }),
      fc
        .array(fc.constantFrom(0, 0, 0, 1, 255), { minLength: 16, maxLength: 16 })
        .map((all) => Uint8Array.from(all)),
    );
    fc.assert(
      fc.property(bytes, (address) => {
        const known = unmapped(new Uint8Array(address));

        assert.deepEqual(parseIp(formatIp(known)), new Uint8Array(known));
      }),
      { numRuns: 2000 },
    );
  });
});
