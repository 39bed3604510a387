import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { BodyDeadlines } from "#http/native/body-deadlines.js";

/** Deadlines of one second on ticks the test makes by hand: four to a second. */
function oneSecond() {
  const deadlines = new BodyDeadlines(1000);
  const expired: string[] = [];
  const add = (name: string) => deadlines.add(() => expired.push(name));
  const tick = (times: number) => {
    for (let i = 0; i < times; i += 1) deadlines.tick();
  };
  return { deadlines, expired, add, tick };
}

describe("body deadlines", () => {
  test("expire when their time is up and not before, in order", () => {
    const { expired, add, tick } = oneSecond();
    add("first");
    tick(2);
    add("second");

    tick(2);
    assert.deepEqual(expired, []);
    tick(1);
    assert.deepEqual(expired, ["first"]);
    tick(2);
    assert.deepEqual(expired, ["first", "second"]);
    tick(10);
    assert.deepEqual(expired, ["first", "second"]);
  });

  test("do not expire once removed, and may be removed twice", () => {
    const { deadlines, expired, add, tick } = oneSecond();
    const [first, second] = [add("first"), add("second")];
    add("third");
    deadlines.remove(second);
    deadlines.remove(first);
    add("fourth");
    deadlines.remove(second);
    deadlines.remove(first);

    tick(5);
    assert.deepEqual(expired, ["third", "fourth"]);
  });

  test("may be removed and added while one expires", () => {
    const { deadlines, expired, tick } = oneSecond();
    const later = { deadline: deadlines.add(() => {}) };
    deadlines.remove(later.deadline);
    const first = deadlines.add(() => {
      expired.push("first");
      deadlines.remove(first);
      later.deadline = deadlines.add(() => expired.push("later"));
    });

    tick(5);
    assert.deepEqual(expired, ["first"]);
    tick(5);
    assert.deepEqual(expired, ["first", "later"]);
  });
});
