import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, guard, pass, synapse, Type } from "framework";
import { pumpsOf } from "#fuzz/pumped-texts.js";
import { type Hint, RouteHints, withHint } from "#fuzz/route-hints.js";
import { seenConstants } from "#fuzz/seen-constants.js";

const seenIn = (axon: { readonly definition: unknown }) => seenConstants(axon.definition as never, []);

describe("constants of a route", () => {
  test("are those with which its steps, guards and services compare", () => {
    const axon = Axon.start<{ code: string; qty: number }>("a")
      .then(guard({ name: "g", run: (input) => (String(input) === "guarded" ? pass(input) : pass(input)) }))
      .thenFn("compare", ({ code, qty }) => {
        if (code === "SUMMER" || "WINTER" !== code || qty >= 500) return { code };
        if (["red", "green"].includes(code) || code.startsWith("x-")) return { code };
        return /^(?:ab|c)+$/i.test(code) ? { code } : { code: "not compared" };
      })
      .thenFn("named", { uses: {} }, ({ code }) => code === "named")
      .then(synapse({ name: "s", call: (is: boolean) => (String(is) === "asked" ? 1 : 2) }));
    const { texts, numbers, patterns } = seenIn(axon);

    assert.deepEqual(
      [...texts].sort(),
      ["SUMMER", "WINTER", "asked", "green", "guarded", "named", "red", "x-"].sort(),
    );
    assert.deepEqual(numbers, [500, 501, 499]);
    assert.deepEqual(patterns, [{ source: "^(?:ab|c)+$", flags: "i" }]);
  });

  test("are those of its schemas", () => {
    const schema = Type.Object({
      kind: Type.Union([Type.Literal("gold"), Type.Literal(7)]),
      plain: Type.Unsafe<string>({ type: "string", enum: ["one"], examples: ["two"], default: "three" }),
    });
    const { texts, numbers } = seenConstants(Axon.start("a").definition as never, [schema]);

    assert.deepEqual([...texts].sort(), ["gold", "one", "three", "two"]);
    assert.deepEqual(numbers, [7, 8, 6]);
  });
});

describe("pumps", () => {
  test("repeat what a pattern repeats, behind what stands before it", () => {
    const [first, second] = pumpsOf([{ source: "^id:(?:foo|fo+)+bar$", flags: "" }]);

    for (const pump of [first, second]) assert.match(`${pump?.prefix}${pump?.unit}`, /^id:fo+$/);
  });

  test("are the usual ones where no pattern is seen, or what is seen is none by itself", () => {
    assert.deepEqual(pumpsOf([]), pumpsOf([{ source: "(a", flags: "" }]));
    assert.deepEqual(pumpsOf([])[0], { prefix: "", unit: "a" });
  });
});

describe("a hint", () => {
  const hint = (texts: readonly string[], numbers: readonly number[]): Hint => ({
    texts: () => texts,
    numbers: () => numbers,
  });

  test("replaces texts and numbers where the whole still fits, with the longest text that does", () => {
    const fits = (value: unknown) =>
      JSON.stringify(value).length <= 40 && !JSON.stringify(value).includes("9");
    const value = { a: "x", list: [1, "y"], b: true };

    assert.deepEqual(withHint(value, hint(["longer than what fits in it", "okay"], [9]), "body", fits), {
      a: "okay",
      list: [1, "okay"],
      b: true,
    });
  });

  test("belongs to every third request, with constants and long texts in turns", () => {
    const hints = new RouteHints({ seen: { texts: ["SUMMER"], numbers: [7], patterns: [] } });
    const textOf = (index: number) => hints.at(index)?.texts(0, "body")[0]?.slice(0, 6);

    assert.deepEqual([0, 1, 3, 4].map(textOf), [undefined, undefined, undefined, undefined]);
    assert.deepEqual([2, 5, 8, 11].map(textOf), ["aaaaaa", "SUMMER", "111111", "SUMMER"]);
    assert.ok((hints.at(2)?.texts(0, "head")[0]?.length ?? 0) <= 1500);
  });
});
