import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { compileRedactor } from "#schema/redaction/redactor.js";
import { namesOf } from "#schema/tree/listed-names.js";
import { PlainValues } from "#telemetry/logging/plain-value.js";

const SIZE = 20_000;

function manyOn<T extends object>(holder: T): T & Record<string, unknown> {
  const many: Record<string, unknown> = holder as never;
  for (let i = 0; i < SIZE; i += 1) many[`member${i}`] = i;
  return many as T & Record<string, unknown>;
}

const log = (value: unknown): any => new PlainValues(new Set()).of(value);
const redact = (value: unknown): any => compileRedactor({ errorMembers: true }).redact(value).value;

describe("an object of very many members", () => {
  for (const [what, make] of [
    ["an object", () => manyOn({})],
    ["an error", () => manyOn(new Error("of many"))],
  ] as const)
    test(`is listed once, however often it is logged and captured: ${what}`, (t) => {
      const many = make();
      const keys = t.mock.method(Object, "keys");
      const shown = [log(many), redact(many), log(many), redact(many)];

      assert.equal(keys.mock.calls.filter(({ arguments: [of] }) => of === many).length, 1);
      for (const one of shown) assert.equal(one["member0"], 0);
      for (const one of shown) {
        const names = Object.keys(one).filter((name) => name.startsWith("member"));
        assert.equal(one["..."], `${SIZE - names.length} more`);
      }
    });

  test("is shown with the values that its members have by then, and without those that are gone", () => {
    const many = manyOn({}) as Record<string, unknown>;
    log(many);
    many["member0"] = "changed";
    delete many["member1"];
    const { member0, member1, member2 } = log(many);

    assert.deepEqual([member0, member1, member2], ["changed", undefined, 2]);
  });

  test("has no more of its names kept than are read, and a small one has none kept", () => {
    const small: Record<string, unknown> = { a: 1 };
    const { names, size } = namesOf(manyOn({}));
    namesOf(small);
    small["b"] = 2;

    assert.deepEqual([names.length, size], [2048, SIZE]);
    assert.deepEqual(namesOf(small).names, ["a", "b"]);
  });
});
