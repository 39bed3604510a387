import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";
import { ownCode } from "#runtime/compile/straight.js";
import { needsCodeGeneration } from "../support/code-generation.js";

/** The code that is generated meanwhile. */
function generatedBy(act: () => void): readonly string[] {
  const texts: string[] = [];
  const real = globalThis.Function;
  globalThis.Function = new Proxy(real, {
    construct(target, given, newTarget) {
      texts.push(String(given.at(-1)));
      return Reflect.construct(target, given, newTarget);
    },
  });
  try {
    act();
  } finally {
    globalThis.Function = real;
  }
  return texts;
}

const adding = (name: string, more: number) => Axon.start<number>(name).thenFn("add", (n) => n + more);

describe("generated code", () => {
  test("is of its own text for each Axon, so that none learns from another", {
    skip: needsCodeGeneration,
  }, () => {
    const axons = [adding("one", 1), adding("two", 2)];
    const texts = generatedBy(() =>
      assert.deepEqual(
        axons.map((axon) => axon.execute(1)),
        [2, 3],
      ),
    );

    assert.equal(texts.length, 2);
    assert.notEqual(texts[0], texts[1]);
    assert.equal(texts[0]?.replace(/\/\/ \d+$/, ""), texts[1]?.replace(/\/\/ \d+$/, ""));
  });

  test("is kept in no more texts than a thousand", () => {
    const texts = new Set(Array.from({ length: 5000 }, () => ownCode("return 1;\n")));

    assert.equal(texts.size, 1024);
  });
});
