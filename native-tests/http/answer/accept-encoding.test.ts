import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import {
  chosenCoding,
  parseAcceptEncoding,
  refusesIdentity,
  weightOf,
} from "#http/answer/accept-encoding.js";

const OFFERED = ["br", "gzip"] as const;

const chosen = (text: string) => chosenCoding(parseAcceptEncoding(text), OFFERED);

interface Element {
  readonly name: string;
  /** In thousandths. */
  readonly weight: number;
  readonly text: string;
}

const gap = fc.stringMatching(/^[ \t]{0,2}$/);
const quality = fc.oneof(
  fc.constantFrom({ text: "", weight: 1000 }, { text: "1.000", weight: 1000 }, { text: "0.", weight: 0 }),
  fc.integer({ min: 0, max: 1000 }).map((weight) => ({ text: String(weight / 1000), weight })),
);
const element: fc.Arbitrary<Element> = fc
  .record({
    name: fc.constantFrom("br", "gzip", "x-gzip", "identity", "*", "deflate", "zstd"),
    isLoud: fc.boolean(),
    quality,
    gaps: fc.tuple(gap, gap, gap, gap),
    q: fc.constantFrom("q", "Q"),
  })
  .map(({ name, isLoud, quality: { text, weight }, gaps: [a, b, c, d], q }) => {
    const shown = isLoud ? name.toUpperCase() : name;
    const parameter = text === "" ? "" : `;${c}${q}=${text}${d}`;
    return { name: name === "x-gzip" ? "gzip" : name, weight, text: `${a}${shown}${b}${parameter}` };
  });
const elements = fc.array(element, { maxLength: 6 });
const written = (list: readonly { readonly text: string }[]): string =>
  list.map(({ text }) => text).join(",");

/** As RFC 9110 puts it, looked up in the list itself. */
function wanted(list: readonly Element[], coding: string): number {
  const named = list.filter(({ name }) => name === coding);
  const meant = named.length > 0 ? named : list.filter(({ name }) => name === "*");
  if (meant.length === 0) return coding === "identity" ? 1 : 0;
  return Math.min(...meant.map(({ weight }) => weight));
}

describe("Accept-Encoding", () => {
  test("gives each coding the weight that stands beside it, however it is written", () => {
    fc.assert(
      fc.property(elements, (list) => {
        const accepted = parseAcceptEncoding(written(list));
        for (const coding of ["br", "gzip", "identity", "other"])
          assert.equal(weightOf(accepted, coding), wanted(list, coding), coding);
      }),
    );
  });

  test("leads to what is wanted most, to the server's favourite among equals, and never to what is refused", () => {
    fc.assert(
      fc.property(
        elements,
        fc.constantFrom(["br", "gzip"], ["gzip", "br"], ["gzip"], []),
        (list, offered) => {
          const coding = chosenCoding(parseAcceptEncoding(written(list)), offered);

          const most = Math.max(...offered.map((each) => wanted(list, each)), 0);
          const isBetter = most > 0 && most >= wanted(list, "identity");
          const best = offered.find((each) => wanted(list, each) === most);
          assert.equal(coding, isBetter ? best : undefined);
        },
      ),
    );
  });

  test("means the same in any order", () => {
    const shuffled = elements.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    );
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        assert.equal(chosen(written(list)), chosen(written(other)));
      }),
    );
  });

  test("is read past what is malformed in it", () => {
    const junk = fc.constantFrom(
      "",
      " ",
      "gzip;q=1.001",
      "gzip;q=2",
      "gzip;q=-1",
      "gzip;q=.5",
      "gzip;q=0.0000",
      "gzip;q=",
      "gzip;q",
      "br;level=4",
      "br;q=1;q=0",
      "br gzip",
      "br;q = 1",
      '"br"',
      "br/1",
      "identity;q=nan",
      "\u00e9",
      ";q=1",
    );
    const mixed = fc.array(
      fc.oneof(
        element,
        junk.map((text) => ({ text })),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(mixed, (list) => {
        const sound = list.filter((each): each is Element => "name" in each);
        assert.equal(chosen(written(list)), chosen(written(sound)));
      }),
    );
  });

  test("is no reason to throw, whatever stands there", () => {
    const part = fc.constantFrom(
      "gzip",
      "br",
      "*",
      ";",
      "q=",
      "0",
      "1",
      ".",
      ",",
      " ",
      "\t",
      "\0",
      "identity",
      "=",
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 40 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(text, (each) => {
        assert.ok([undefined, ...OFFERED].includes(chosen(each)));
      }),
    );
  });

  test("asks for nothing where it is absent or empty", () => {
    assert.equal(chosen(""), undefined);
    assert.equal(refusesIdentity(parseAcceptEncoding("")), false);
  });

  test("refuses what is uncoded by its name, or by a star without it", () => {
    for (const text of ["identity;q=0", "*;q=0", "gzip, *;q=0"])
      assert.equal(refusesIdentity(parseAcceptEncoding(text)), true, text);
    for (const text of ["gzip", "*", "*;q=0, identity", "identity;q=0.001"])
      assert.equal(refusesIdentity(parseAcceptEncoding(text)), false, text);
  });

  test("leads browsers to brotli, and old tools to gzip", () => {
    assert.equal(chosen("gzip, deflate, br, zstd"), "br");
    assert.equal(chosen("gzip, deflate"), "gzip");
    assert.equal(chosen("x-gzip"), "gzip");
    assert.equal(chosen("br;q=0.5, gzip;q=0.8"), "gzip");
    assert.equal(chosen("br;q=0, *"), "gzip");
    assert.equal(chosen("identity, gzip;q=0.5"), undefined);
    assert.equal(chosen("gzip;q=0"), undefined);
  });
});
