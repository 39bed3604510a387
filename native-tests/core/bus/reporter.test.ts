import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";

import { reportAsWarning } from "#core/bus/reporter.js";

const warned = async (error?: unknown) => {
  const warning = once(process, "warning");
  reportAsWarning({ code: "STEP_PANIC", message: "a step threw", error });
  const [{ name, message, code, detail }] = await warning;
  return { name, message, code, detail };
};
const hostile = (): never => {
  throw new Error("again");
};

describe("a report as a process warning", () => {
  test("has the code, and shows what was thrown", async () => {
    assert.deepEqual(await warned("boom"), {
      name: "FrameworkWarning",
      message: "a step threw",
      code: "STEP_PANIC",
      detail: "boom",
    });
    assert.match((await warned(new Error("boom"))).detail, /^Error: boom\n +at /);
    assert.equal((await warned()).detail, "");
  });

  test("never throws, whatever was thrown", async () => {
    const thrown = [
      Object.create(null),
      { toString: hostile },
      { [Symbol.toPrimitive]: hostile },
      Object.defineProperty(new Error("x"), "stack", { get: hostile }),
      Object.assign(new Error("x"), { stack: Object.create(null) }),
      new Proxy({}, { getPrototypeOf: hostile }),
    ];
    for (const error of thrown)
      assert.equal((await warned(error)).detail, "What was thrown, of type object, cannot be shown as text");
    assert.equal((await warned(Symbol("odd"))).detail, "Symbol(odd)");
  });
});
