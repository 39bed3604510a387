import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { formatTraceparent, parseTraceparent, saysUnsampled } from "#telemetry/tracing/traceparent.js";
import { anyText } from "../../support/any-text.js";

const TRACE = "12345678901234567890123456789012";
const SPAN = "1234567890123456";
const VALID = `00-${TRACE}-${SPAN}-01`;

const hex = (length: number) =>
  fc
    .array(fc.constantFrom(..."0123456789abcdef"), { minLength: length, maxLength: length })
    .map((digits) => digits.join(""));
const id = (length: number) => hex(length).filter((text) => !/^0+$/.test(text));

describe("a traceparent", () => {
  test("of version 00 says trace, caller and flags", () => {
    assert.deepEqual(parseTraceparent(VALID), { traceId: TRACE, spanId: SPAN, sampled: true, random: false });
    assert.deepEqual(
      ["00", "01", "02", "03", "fc", "ff"].map((flags) => {
        const { sampled, random } = parseTraceparent(`00-${TRACE}-${SPAN}-${flags}`) ?? {};
        return [sampled, random];
      }),
      [
        [false, false],
        [true, false],
        [false, true],
        [true, true],
        [false, false],
        [true, true],
      ],
    );
  });

  test("of a later version is read as far as it is known, and passed on as 00", () => {
    for (const text of [`cc-${TRACE}-${SPAN}-01`, `01-${TRACE}-${SPAN}-01-what-the-future-will-be-like`]) {
      const caller = parseTraceparent(text);

      assert.ok(caller);
      assert.equal(formatTraceparent(caller), VALID);
    }
    assert.ok(parseTraceparent(`cc-${TRACE}-${SPAN}-01-`));
  });

  // The cases of the W3C's test suite.
  for (const [name, text] of Object.entries({
    "something behind version 00": `${VALID}.`,
    "a field behind version 00": `${VALID}-what-the-future-will-be-like`,
    "a dash behind version 00": `${VALID}-`,
    "no dash behind a later version": `cc-${TRACE}-${SPAN}-01.what-the-future-will-be-like`,
    "the version ff": `ff-${TRACE}-${SPAN}-01`,
    "a version that is no number": `.0-${TRACE}-${SPAN}-01`,
    "half a version": `0-${TRACE}-${SPAN}-01`,
    "a long version": `000-${TRACE}-${SPAN}-01`,
    "a trace of zeroes": `00-${"0".repeat(32)}-${SPAN}-01`,
    "a trace that is no number": `00-.2345678901234567890123456789012-${SPAN}-01`,
    "a trace in capitals": `00-${"A".repeat(32)}-${SPAN}-01`,
    "a long trace": `00-${TRACE}3-${SPAN}-01`,
    "a short trace": `00-${TRACE.slice(1)}-${SPAN}-01`,
    "a caller of zeroes": `00-${TRACE}-${"0".repeat(16)}-01`,
    "a caller that is no number": `00-${TRACE}-123456789012345.-01`,
    "a long caller": `00-${TRACE}-${SPAN}7-01`,
    "a short caller": `00-${TRACE}-${SPAN.slice(1)}-01`,
    "flags that are no number": `00-${TRACE}-${SPAN}-.0`,
    "flags in capitals": `00-${TRACE}-${SPAN}-0F`,
    "long flags": `00-${TRACE}-${SPAN}-001`,
    "short flags": `00-${TRACE}-${SPAN}-1`,
    "a space before": ` ${VALID}`,
    "a line behind": `${VALID}\n`,
    "two of them": `${VALID},${VALID}`,
    nothing: "",
  })) {
    test(`with ${name} is none`, () => assert.equal(parseTraceparent(text), undefined));
  }

  test("comes back from what was written", () => {
    fc.assert(
      fc.property(
        fc.record(
          { traceId: id(32), spanId: id(16), sampled: fc.boolean(), random: fc.boolean() },
          { noNullPrototype: true },
        ),
        (caller) => assert.deepEqual(parseTraceparent(formatTraceparent(caller)), caller),
      ),
    );
  });

  test("is none where any one character is not of its form", () => {
    fc.assert(
      fc.property(fc.nat(VALID.length - 1), anyText({ minLength: 1, maxLength: 1 }), (at, character) => {
        const text = VALID.slice(0, at) + character + VALID.slice(at + 1);
        const fits = [2, 35, 52].includes(at) ? character === "-" : /[0-9a-f]/.test(character);

        assert.equal(parseTraceparent(text) !== undefined, fits);
      }),
    );
  });

  test("is read or refused, whatever it is", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          hex(55),
          fc.tuple(hex(2), hex(32), hex(16), hex(2)).map((all) => all.join("-")),
        ),
        (text) => {
          const caller = parseTraceparent(text);
          if (caller !== undefined)
            assert.ok(formatTraceparent(caller).startsWith(`00-${text.slice(3, 53)}0`));
        },
      ),
    );
  });

  test("says at a glance that its trace is not kept, and never otherwise than when it is read", () => {
    const part = (valid: fc.Arbitrary<string>) => fc.oneof({ weight: 9, arbitrary: valid }, fc.string());
    const text = fc
      .tuple(part(fc.constant("00")), part(id(32)), part(id(16)), part(hex(2)))
      .map((parts) => parts.join("-"));
    fc.assert(
      fc.property(text, (given) => {
        const read = parseTraceparent(given);
        if (given.startsWith("00")) assert.equal(saysUnsampled(given), read?.sampled === false);
        else if (saysUnsampled(given)) assert.equal(read?.sampled, false);
      }),
      { numRuns: 1000 },
    );
    for (const zero of [`00-${"0".repeat(32)}-${SPAN}-00`, `00-${TRACE}-${"0".repeat(16)}-00`])
      assert.equal(saysUnsampled(zero), false);
  });
});
