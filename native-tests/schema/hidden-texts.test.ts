import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parse } from "cookie";
import fc from "fast-check";

import { HiddenTexts } from "#schema/hidden-texts.js";

const secret = fc.string({ unit: "binary", minLength: 6, maxLength: 300 });
const around = fc.string({ unit: "binary", maxLength: 20 });

const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  "as JSON writes it": quoted,
  "as JSON in JSON writes it": (text) => quoted(quoted(text)),
  "as JSON in JSON in JSON writes it": (text) => quoted(quoted(quoted(text))),
  "percent-encoded": (text) => encodeURIComponent(Buffer.from(text).toString("utf8")),
  "as a form writes it": (text) => new URLSearchParams([["", text]]).toString().slice(1),
};

const hiding = (...texts: readonly string[]): HiddenTexts => {
  const hidden = new HiddenTexts();
  for (const text of texts) hidden.add(text);
  return hidden;
};

describe("a text that was masked", () => {
  for (const [how, encode] of Object.entries(ENCODINGS))
    test(`is found ${how}, wherever it stands`, () => {
      fc.assert(
        fc.property(secret, around, around, (text, before, behind) => {
          const masked = hiding(text).masked(before + encode(text) + behind);

          assert.ok(masked.includes("[redacted]"), masked);
          // Where its neighbours do not make it another time.
          if (!(before + behind).includes(encode(text)))
            assert.equal(masked.includes(encode(text)), "[redacted]".includes(encode(text)), masked);
        }),
      );
    });

  for (const encoding of ["base64", "base64url"] as const)
    test(`is found in what ${encoding} encodes, wherever it begins there`, () => {
      fc.assert(
        fc.property(secret, around, around, (text, before, behind) => {
          const encoded = Buffer.from(before + text + behind).toString(encoding);
          const masked = hiding(text).masked(encoded);
          const shown = masked.split("[redacted]").map((part) => Buffer.from(part, encoding).length);

          assert.ok(masked.includes("[redacted]"), masked);
          // At its ends it shares a character with its neighbours, of which a byte can be seen.
          const others = Buffer.byteLength(before) + Buffer.byteLength(behind);
          assert.ok(shown.reduce((sum, bytes) => sum + bytes, 0) <= others + 4, masked);
        }),
      );
    });

  test("is found by the password of Basic credentials that were masked", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 40 }), (password) => {
        const header = `Basic ${Buffer.from(`ada:${password}`).toString("base64")}`;

        assert.equal(hiding(header).masked(`it was ${password}`), "it was [redacted]");
      }),
    );
  });

  test("is found as a cookie has it and as a step reads it, however that is encoded", () => {
    const lower = (text: string) => text.replace(/%../g, (escaped) => escaped.toLowerCase());
    fc.assert(
      fc.property(
        secret.map((text) => Buffer.from(text.trim()).toString("utf8")).filter(({ length }) => length >= 6),
        fc.constantFrom(encodeURIComponent, (text: string) => lower(encodeURIComponent(text))),
        (text, encode) => {
          const header = `theme=dark; sid=${encode(text)}`;
          const hidden = new HiddenTexts();
          hidden.addCookies(header);
          const read = parse(header)["sid"] ?? assert.fail();

          assert.equal(read, text);
          for (const one of [read, encode(text)]) assert.equal(hidden.masked(`<${one}>`), "<[redacted]>");
        },
      ),
    );
  });

  test("is found as it came where it cannot be read", () => {
    const hidden = new HiddenTexts();
    hidden.addCookies("sid=100%-s3cr3t; other=%E0%A4%A-s3cr3t");

    assert.equal(hidden.masked("100%-s3cr3t, %E0%A4%A-s3cr3t"), "[redacted], [redacted]");
  });

  test("is found whole where it is long, and by its beginning where its encoding is", () => {
    const long = Array.from({ length: 700 }, (_, i) => `${i}/é`).join("");
    const hidden = hiding(long);

    assert.doesNotMatch(hidden.masked(`<${long}>`), /\d/);
    assert.doesNotMatch(hidden.masked(encodeURIComponent(long).slice(0, 1024)), /\d/);
  });

  test("is not looked for where it is short, and nothing else is masked", () => {
    assert.equal(hiding("abcde").masked("abcde is five"), "abcde is five");
    assert.equal(hiding("hunter2-hunter2").masked("hunter2 hunter2"), "hunter2 hunter2");
    assert.equal(new HiddenTexts().masked("anything at all"), "anything at all");
  });

  test("stays masked for whoever begins with those of another", () => {
    const first = hiding("hunter2-hunter2");
    assert.equal(first.masked("hunter2-hunter2"), "[redacted]");
    const second = new HiddenTexts(first);
    second.add("swordfish");

    assert.equal(second.masked("hunter2-hunter2 and swordfish"), "[redacted] and [redacted]");
    assert.equal(first.masked("swordfish"), "swordfish");
  });

  test("is hidden as it is where another has found it, and keeps none out that is found here", () => {
    const one = fc.string({ minLength: 6, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 120, size: "max" }), one, (others, own) => {
        const hidden = new HiddenTexts();
        hidden.addTexts(others);
        hidden.add(own);
        hidden.addTexts(others);
        const second = new HiddenTexts(hidden);
        second.add("swordfish");

        assert.equal(hidden.texts.includes(own), own !== "[redacted]");
        assert.equal(second.masked("swordfish"), "[redacted]");
        assert.ok(hidden.texts.length <= 64 + 64);
        for (const text of hidden.texts) assert.ok(others.includes(text) || own.includes(text));
      }),
    );
  });
});
