import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Turns } from "#core/loop-turns.js";

describe("slices of the loop", () => {
  test("end after 10 ms; the loop serves between any two, of whatever search", async () => {
    const clock = { ms: 0 };
    const turns = new Turns(() => clock.ms);
    const seen: string[] = [];
    const search = (name: string) =>
      turns.each([1, 2, 3, 4], 1000, (item) => {
        seen.push(`${name}${item}`);
        clock.ms += 6;
        return true;
      });
    const both = Promise.all([search("a"), search("b")]);
    let isOver = false;
    const serve = () => {
      seen.push("served");
      if (!isOver) setImmediate(serve);
    };
    setImmediate(serve);
    assert.deepEqual(await both, [4, 4]);
    isOver = true;

    const slices = seen
      .join(" ")
      .split("served")
      .map((one) => one.trim());
    assert.deepEqual(slices.filter(Boolean), ["a1 a2", "b1 b2", "a3 a4", "b3 b4"]);
  });

  test("end when the time of the work is over, or it wants no more", async () => {
    const clock = { ms: 0 };
    const turns = new Turns(() => clock.ms);
    const taken = (most: number) =>
      turns.each([1, 2, 3, 4, 5, 6], 20, (item) => {
        clock.ms += 7;
        return item < most;
      });

    assert.deepEqual([await taken(9), await taken(3)], [4, 2]);
  });
});
