import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { Slots } from "#http/static/slots.js";

describe("places", () => {
  test("are taken in turn", () => {
    const slots = new Slots(1);
    const entered: string[] = [];
    for (const name of ["a", "b", "c"]) slots.take(() => entered.push(name));

    assert.deepEqual(entered, ["a"]);
    slots.leave();
    assert.deepEqual(entered, ["a", "b"]);
    slots.leave();
    assert.deepEqual(entered, ["a", "b", "c"]);
  });

  test("are not kept for who has gone, of whom nothing is left", () => {
    const slots = new Slots(1);
    slots.take(() => {});
    const giveUps = Array.from({ length: 1000 }, () => slots.take(() => assert.fail("he had gone")));
    for (const giveUp of giveUps) giveUp();
    let entered = false;
    slots.take(() => {
      entered = true;
    });

    assert.equal(slots.waiting, 1);
    slots.leave();
    assert.ok(entered);
    assert.equal(slots.waiting, 0);
  });

  test("are never more than there are, nor free while somebody waits", () => {
    const step = fc.constantFrom("take", "leave", "give up");
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 60 }), (count, steps) => {
        const slots = new Slots(count);
        const [waiting, inside]: [Map<number, () => void>, Set<number>] = [new Map(), new Set()];
        for (const [id, what] of steps.entries()) {
          const [first] = waiting;
          if (what === "take") {
            const giveUp = slots.take(() => {
              inside.add(id);
              waiting.delete(id);
            });
            if (!inside.has(id)) waiting.set(id, giveUp);
          } else if (what === "leave" && inside.size > 0) {
            inside.delete([...inside][0] as number);
            slots.leave();
            if (first !== undefined) assert.ok(inside.has(first[0]), "the first of them is next");
          } else if (what === "give up" && first !== undefined) {
            first[1]();
            waiting.delete(first[0]);
          }
          assert.ok(inside.size <= count);
          assert.ok(waiting.size === 0 || inside.size === count);
          assert.equal(slots.waiting, waiting.size);
        }
      }),
    );
  });
});
