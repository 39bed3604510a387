import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { httpDate, parseHttpDate } from "#core/wire/http-date.js";

const NOW = Date.UTC(2026, 5, 15, 12);
const parsed = (text: string, now = NOW): string | undefined => {
  const ms = parseHttpDate(text, now);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

describe("a date of HTTP", () => {
  test("is read in each of its three forms", () => {
    for (const text of [
      "Sun, 06 Nov 1994 08:49:37 GMT",
      "Sunday, 06-Nov-94 08:49:37 GMT",
      "Sun Nov  6 08:49:37 1994",
    ])
      assert.equal(parsed(text), "1994-11-06T08:49:37.000Z", text);
    assert.equal(parsed("Wed Nov 16 08:49:37 1994"), "1994-11-16T08:49:37.000Z");
  });

  test("is read back as it is written, in any year of four digits", () => {
    const seconds = fc.integer({ min: Date.UTC(1970, 0) / 1000 - 62_167_219_200, max: 253_402_300_799 });
    fc.assert(
      fc.property(seconds, (at) => {
        assert.equal(parseHttpDate(httpDate(at * 1000), NOW), at * 1000);
      }),
    );
  });

  test("of two digits is of the nearest century that is no more than 50 years ahead", () => {
    assert.equal(parsed("Monday, 15-Jun-76 12:00:00 GMT"), "2076-06-15T12:00:00.000Z");
    assert.equal(parsed("Monday, 15-Jun-76 12:00:01 GMT"), "1976-06-15T12:00:01.000Z");
    assert.equal(parsed("Monday, 15-Jun-00 12:00:00 GMT"), "2000-06-15T12:00:00.000Z");
    assert.equal(parsed("Tuesday, 29-Feb-00 00:00:00 GMT"), "2000-02-29T00:00:00.000Z");
  });

  test("may have a leap second", () => {
    assert.equal(parsed("Sat, 31 Dec 2016 23:59:60 GMT"), "2017-01-01T00:00:00.000Z");
  });

  test("is nothing else", () => {
    for (const text of [
      "",
      "0",
      "1994-11-06T08:49:37Z",
      "Sun, 06 Nov 1994 08:49:37 UTC",
      "Sun, 06 Nov 1994 08:49:37 +0000",
      "sun, 06 nov 1994 08:49:37 gmt",
      "Sun, 6 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 94 08:49:37 GMT",
      "Sun, 31 Nov 1994 08:49:37 GMT",
      "Sun, 29 Feb 2023 08:49:37 GMT",
      "Sun, 00 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 06 Nov 1994 08:60:37 GMT",
      "Sun, 06 Nov 1994 08:49:61 GMT",
      " Sun, 06 Nov 1994 08:49:37 GMT",
      "Sun, 06 Nov 1994 08:49:37 GMT ",
      "Sun, 06 Nov 1994 08:49:37 GMT, Mon, 07 Nov 1994 08:49:37 GMT",
      "Sun Nov 6 08:49:37 1994",
      "Sun Nov 06 08:49:37 94",
      "Sund, 06-Nov-94 08:49:37 GMT",
    ])
      assert.equal(parsed(text), undefined, text);
  });
});
