import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Deadlines, Timetable } from "#http/native/deadlines.js";

/** Deadlines of one second on ticks the test makes by hand: four to a second. */
function oneSecond() {
  const deadlines = new Deadlines(1000);
  const expired: string[] = [];
  const add = (name: string, since?: number) => deadlines.add(() => expired.push(name), since);
  const tick = (times: number) => {
    for (let i = 0; i < times; i += 1) deadlines.tick();
  };
  return { deadlines, expired, add, tick };
}

describe("deadlines", () => {
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

  test("that began before they were added expire in their turn, and late ones at once", () => {
    const { deadlines, expired, add, tick } = oneSecond();
    const began = deadlines.now;
    tick(2);
    add("first to be added");
    tick(1);
    add("first to begin", began);
    add("last");

    tick(2);
    assert.deepEqual(expired, ["first to begin"]);
    add("late", began);
    tick(1);
    assert.deepEqual(expired, ["first to begin", "late"]);
    tick(2);
    assert.deepEqual(expired.slice(2), ["first to be added", "last"]);
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

  test("have a list for each time, and one clock", () => {
    const timetable = new Timetable();
    const expired: string[] = [];
    timetable.of(1000).add(() => expired.push("later"));
    timetable.of(250).add(() => expired.push("sooner"));
    timetable.of(1000).add(() => expired.push("later too"));

    assert.equal(timetable.of(250), timetable.of(250));
    timetable.tick();
    assert.deepEqual(expired, []);
    timetable.tick();
    assert.deepEqual(expired, ["sooner"]);
    for (let i = 0; i < 3; i += 1) timetable.tick();
    assert.deepEqual(expired, ["sooner", "later", "later too"]);
  });
});
