import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { canonicalJson } from "#core/wire/canonical-json.js";
import { PayloadCapture, payloadOf } from "#inspector/traces/payload-capture.js";
import { compileRedactor } from "#schema/redaction/redactor.js";

const redactor = compileRedactor();
const key = (byte: number) => Buffer.alloc(32, byte);

describe("a captured value", () => {
  test("as a hash can be compared in one process, and with no other's", () => {
    const [one, same, other] = [key(1), key(1), key(2)].map((bytes) =>
      new PayloadCapture("hash", bytes).capture(redactor, { pin_code: 7 }),
    );

    assert.deepEqual(one, same);
    assert.notDeepEqual(one, other);
    assert.notDeepEqual(
      new PayloadCapture("hash").capture(redactor, 7),
      new PayloadCapture("hash").capture(redactor, 7),
    );
  });

  test("as a hash does not depend on the order of members", () => {
    const capture = new PayloadCapture("hash", key(1));

    assert.deepEqual(capture.capture(redactor, { a: 1, b: 2 }), capture.capture(redactor, { b: 2, a: 1 }));
  });

  test("is nothing where it is off, and said so", () => {
    assert.equal(new PayloadCapture("off").capture(redactor, 1), undefined);
    assert.deepEqual(payloadOf(undefined), { kind: "off" });
  });

  test("says where it was cut", () => {
    const full = new PayloadCapture("full").capture(compileRedactor({ maxValues: 2 }), [1, 2, 3]);

    assert.deepEqual(payloadOf(full), { kind: "full", value: [1, "2 more"], is_cut: true });
  });
});

test("canonical JSON is the same for equal values, and reads back as the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const shuffled = JSON.parse(JSON.stringify(value), (_, part) =>
        typeof part === "object" && part !== null && !Array.isArray(part)
          ? Object.fromEntries(Object.entries(part).reverse())
          : part,
      );

      assert.equal(canonicalJson(shuffled), canonicalJson(JSON.parse(JSON.stringify(value))));
      assert.deepEqual(JSON.parse(canonicalJson(shuffled)), JSON.parse(JSON.stringify(value)));
    }),
  );
  // The order of RFC 8785, 3.2.3: by UTF-16 units.
  assert.equal(canonicalJson({ "\ufb33": 1, "😀": 2, "1": 3, "\r": 4 }), '{"\\r":4,"1":3,"😀":2,"\ufb33":1}');
});
