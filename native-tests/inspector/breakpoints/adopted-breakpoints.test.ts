// Breakpoints as another process tells of them, and what happened here meanwhile.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";

import { ConditionError } from "#inspector/breakpoints/condition.js";
import { done, steered } from "../../support/steered-circuit.js";

const sum = Axon.start<number>("sum")
  .thenFn("one", (n) => n + 1)
  .thenFn("two", (n) => n + 1);

/** Two processes: what is set in the first is told the second. */
function two() {
  const [first, other] = [steered(sum), steered(sum)];
  const told = () => JSON.parse(JSON.stringify(first.breakpoints.state()));
  return { first, other, told };
}

const once = { node_id: "sum/one", mode: "snapshot", max_hits: 1 } as const;

describe("breakpoints of another process", () => {
  test("are there as they are there, without what belongs to the telling alone", () => {
    const { first, other, told } = two();
    done(first.breakpoints.set({ ...once, condition: "$ > 5", hold_ms: 7 }));
    first.run(6);
    other.steering.adopt(told());

    const [shown] = first.breakpoints.list();
    assert.deepEqual(other.breakpoints.list(), [{ ...shown, snapshots: [] }]);
  });

  test("that are used up here are not armed again by what was on its way", () => {
    const { first, other, told } = two();
    const { id } = done(first.breakpoints.set(once));
    const onItsWay = told();
    other.steering.adopt(onItsWay);
    other.run(1);
    other.steering.adopt(onItsWay);
    other.run(2);

    const { hits, enabled, snapshots } = other.breakpoints.get(id) ?? assert.fail();
    assert.deepEqual([hits, enabled, snapshots.length], [1, false, 1]);
    assert.equal(other.steering.beforeNode, undefined);
  });

  test("count the more of the hits here and there, and are off where they are off in one", () => {
    const { first, other, told } = two();
    const { id } = done(first.breakpoints.set({ ...once, max_hits: 9 }));
    other.steering.adopt(told());
    for (let i = 0; i < 3; i += 1) other.run(i);
    first.run(1);
    other.steering.adopt(told());
    assert.equal(other.breakpoints.get(id)?.hits, 3);
    for (let i = 0; i < 4; i += 1) first.run(i);
    first.breakpoints.change(id, { enabled: false });
    other.steering.adopt(told());

    const { hits, enabled } = other.breakpoints.get(id) ?? assert.fail();
    assert.deepEqual([hits, enabled], [5, false]);
  });

  test("wait anew where they are switched on again or for more hits", () => {
    const { first, other, told } = two();
    const { id } = done(first.breakpoints.set(once));
    other.steering.adopt(told());
    other.run(1);
    first.breakpoints.countElsewhere(id, 1, 0);
    first.breakpoints.change(id, { enabled: true });
    other.steering.adopt(told());
    assert.deepEqual(other.breakpoints.get(id)?.enabled, true);
    assert.equal(other.breakpoints.get(id)?.hits, 0);

    other.run(2);
    // The first does not know of that hit yet.
    first.breakpoints.change(id, { max_hits: 3 });
    other.steering.adopt(told());
    const { max_hits, enabled } = other.breakpoints.get(id) ?? assert.fail();
    assert.deepEqual([max_hits, enabled], [3, true]);
  });

  test("stay as they were where one that is told is not understood", () => {
    const { first, other, told } = two();
    const ids = [done(first.breakpoints.set(once)).id, done(first.breakpoints.set(once)).id];
    other.steering.adopt(told());
    const before = other.breakpoints.list();
    first.breakpoints.change(ids[0] as string, { condition: "$ > 5", hold_ms: 7 });
    const state = told();
    for (const strange of [
      [state[0], { ...state[1], condition: "$ =~ later" }],
      [state[0], state[1], { ...state[1], id: "bp-3", condition: "$ =~ later" }],
    ]) {
      assert.throws(() => other.steering.adopt(strange), ConditionError);
      assert.deepEqual(other.breakpoints.list(), before);
    }
    other.run(1);
    assert.equal(other.breakpoints.get(ids[1] as string)?.hits, 1, "and are armed");
  });

  test("are not adopted by a process that stops", () => {
    const { first, other, told } = two();
    done(first.breakpoints.set(once));
    other.steering.close();
    other.steering.adopt(told());

    assert.deepEqual(other.breakpoints.list(), []);
    assert.equal(other.steering.isClosed, true);
  });
});
