import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon } from "framework";

import { Breakpoint, OneBreakpoint } from "#inspector/api/breakpoints.js";
import { compileSchema } from "#schema/compile/validator.js";
import { done, refused, steered } from "../../support/steered-circuit.js";

const sum = Axon.start<number>("sum")
  .thenFn("one", (n) => n + 1)
  .thenFn("two", (n) => n + 1);

describe("breakpoints", () => {
  test("have the contract's shape, and its defaults", () => {
    const { breakpoints } = steered(sum);
    const { check, errors } = compileSchema(Breakpoint, {
      owner: "test",
      origin: "program",
      generate: false,
    });

    const hold = done(breakpoints.set({ node_id: "sum/one" }));
    const snapshot = done(breakpoints.set({ node_id: "sum/two", mode: "snapshot", condition: "$ > 5" }));

    assert.deepEqual(hold, {
      id: "bp-1",
      circuit: "sum",
      node_id: "sum/one",
      label: "one",
      condition: null,
      mode: "hold",
      hold_ms: 20_000,
      max_hits: 1,
      hits: 0,
      let_through: 0,
      enabled: true,
      created_at: 1_000_000,
      snapshots: [],
    });
    assert.deepEqual([snapshot.max_hits, snapshot.condition], [100, "$ > 5"]);
    for (const shown of breakpoints.list()) assert.ok(check(shown), JSON.stringify(errors(shown)));
    assert.ok(OneBreakpoint);
  });

  test("are refused at a node that nothing mounted has", () => {
    const { breakpoints } = steered(sum);

    const { code, particulars } = refused(breakpoints.set({ node_id: "sum/three" }));

    assert.equal(code, "NODE_UNKNOWN");
    assert.match(particulars.detail ?? "", /'sum\/three'/);
  });

  test("are refused with a condition that does not parse, which says where", () => {
    const { breakpoints } = steered(sum);
    const kept = done(breakpoints.set({ node_id: "sum/one", condition: "$ == 1" }));

    for (const refusal of [
      refused(breakpoints.set({ node_id: "sum/one", condition: "$ = 1" })),
      refused(breakpoints.change(kept.id, { condition: "$ = 1", hold_ms: 5 })),
    ]) {
      assert.equal(refusal.code, "CONDITION_INVALID");
      assert.equal(refusal.particulars.errors?.[0]?.pointer, "/condition");
      assert.equal(refusal.particulars.extensions?.["position"], 2);
      assert.match(refusal.particulars.detail ?? "", /^At position 2: /);
    }
    assert.deepEqual(breakpoints.list(), [kept]);
  });

  test("are as many as may be, until one is removed", () => {
    const { breakpoints, steering } = steered(sum, { maxBreakpoints: 2 });
    const first = done(breakpoints.set({ node_id: "sum/one" }));
    done(breakpoints.set({ node_id: "sum/one" }));

    assert.equal(refused(breakpoints.set({ node_id: "sum/one" })).code, "BREAKPOINTS_FULL");
    assert.equal(steering.remove(first.id), undefined);
    assert.equal(done(breakpoints.set({ node_id: "sum/one" })).id, "bp-3", "no id is used twice");
  });

  test("are not there to be changed or removed when they are not there", () => {
    const { breakpoints, steering } = steered(sum);

    assert.equal(refused(breakpoints.change("bp-1", { enabled: true })).code, "BREAKPOINT_UNKNOWN");
    assert.equal(refused(steering.remove("bp-1")).code, "BREAKPOINT_UNKNOWN");
    assert.equal(breakpoints.get("bp-1"), undefined);
  });

  test("are told of when they are set, changed and removed, and hits of a moment together", async () => {
    const { breakpoints, steering, events, run, clock } = steered(sum);
    const { id } = done(breakpoints.set({ node_id: "sum/one", mode: "snapshot", max_hits: 5 }));
    for (let i = 0; i < 3; i += 1) run(i);
    await clock.advance(1000);
    breakpoints.change(id, { enabled: false });
    assert.equal(breakpoints.get(id)?.snapshots.length, 3);
    steering.remove(id);

    assert.ok(
      events.every((event) => event.kind === "breakpoint" && event.breakpoint.snapshots.length === 0),
      "what it keeps is asked for",
    );
    assert.deepEqual(
      events.map((event) => event.kind === "breakpoint" && [event.change, event.breakpoint.hits]),
      [
        ["set", 0],
        ["changed", 3],
        ["changed", 3],
        ["removed", 3],
      ],
    );
  });

  test("have the runs of their circuit traced for as long as one of them is enabled", () => {
    const log: string[] = [];
    const watchAll = (circuit: string) => {
      log.push(`watch ${circuit}`);
      return () => log.push(`release ${circuit}`);
    };
    const { breakpoints, steering, run } = steered(sum, { watchAll });
    const { id } = done(breakpoints.set({ node_id: "sum/one", mode: "snapshot" }));
    const once = done(breakpoints.set({ node_id: "sum/two", mode: "snapshot", max_hits: 1 }));
    breakpoints.change(id, { enabled: false });
    assert.deepEqual(log, ["watch sum"]);

    run(1);
    assert.deepEqual(log.splice(0), ["watch sum", "release sum"], "the last has had its hits");
    breakpoints.change(once.id, { enabled: true });
    assert.equal(breakpoints.get(once.id)?.hits, 0, "it waits for as many again");
    steering.close();
    assert.deepEqual(log, ["watch sum", "release sum"]);
  });

  test("refuse options that would do nothing", () => {
    for (const options of [{ maxHeld: 0 }, { maxBreakpoints: 1.5 }, { maxHolds: 3 }])
      assert.throws(() => steered(sum, options), { code: "CONFIG_INVALID" });
  });
});

describe("a breakpoint of mode snapshot", () => {
  test("keeps what its node got, the newest first, and lets runs go", () => {
    const { breakpoints, run, steering } = steered(sum);
    const { id } = done(breakpoints.set({ node_id: "sum/two", mode: "snapshot", condition: "$ != 5" }));

    const outcomes = Array.from({ length: 14 }, (_, i) => run(i));

    const { snapshots, hits } = breakpoints.get(id) ?? assert.fail();
    assert.deepEqual(outcomes.slice(0, 3), [2, 3, 4]);
    assert.deepEqual(
      snapshots.map(({ input }) => input.kind === "full" && input.value),
      [14, 13, 12, 11, 10, 9, 8, 7, 6, 4],
    );
    assert.equal(hits, 13);
    assert.equal(new Set(snapshots.map((snapshot) => snapshot.run_id)).size, 10);
    assert.deepEqual(steering.paused(), []);
  });

  test("is off when it has had its hits", () => {
    const { breakpoints, run, steering } = steered(sum);
    const { id } = done(breakpoints.set({ node_id: "sum/one", mode: "snapshot", max_hits: 2 }));
    for (let i = 0; i < 5; i += 1) run(i);

    const { enabled, hits, snapshots } = breakpoints.get(id) ?? assert.fail();

    assert.deepEqual([enabled, hits, snapshots.length], [false, 2, 2]);
    assert.equal(steering.beforeNode, undefined, "nothing is armed, and nobody is asked");
  });
});
