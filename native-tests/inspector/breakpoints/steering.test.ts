import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import { Axon, branch, transition } from "framework";

import { PausedRun } from "#inspector/api/breakpoints.js";
import { compileSchema } from "#schema/compile/validator.js";
import { codeOf } from "../../support/outcome-code.js";
import { done, refused, steered } from "../../support/steered-circuit.js";

const sum = Axon.start<number>("sum")
  .thenFn("one", (n) => n + 1)
  .thenFn("two", (n) => n + 1)
  .thenFn("three", (n) => n + 1);

/** The ids of what is held, with where. */
const places = (steering: { paused(): readonly { id: string; node_id: string }[] }) =>
  steering.paused().map(({ id, node_id }) => `${id} ${node_id}`);

describe("a run that comes to a breakpoint", () => {
  test("is held, and shown as the contract says, until it is let go", async () => {
    const { steering, breakpoints, run, events, clock } = steered(sum);
    done(breakpoints.set({ node_id: "sum/two", hold_ms: 5000 }));
    const running = run(1) as Promise<unknown>;
    await clock.advance(20);
    const [paused] = steering.paused();
    const { check, errors } = compileSchema(PausedRun, { owner: "test", origin: "program", generate: false });

    assert.ok(check(paused), JSON.stringify(errors(paused)));
    assert.deepEqual(
      { ...paused, run_id: "" },
      {
        id: "hold-1",
        run_id: "",
        circuit: "sum",
        node_id: "sum/two",
        label: "two",
        breakpoint_id: "bp-1",
        since: 1_000_000,
        until: 1_005_000,
        input: { kind: "full", value: 2, is_cut: false },
        input_schema: null,
        request: null,
      },
    );
    const released = done(steering.resume("hold-1"));
    assert.deepEqual(released, {
      ...{ id: "hold-1", run_id: paused?.run_id, circuit: "sum", node_id: "sum/two" },
      ...{ how: "resume", held_ms: 20 },
    });
    assert.equal(await running, 4);
    assert.deepEqual(steering.paused(), []);
    assert.deepEqual(
      events.map((event) => (event.kind === "node_resumed" ? `resumed ${event.how}` : event.kind)),
      ["breakpoint", "node_paused", "resumed resume"],
    );
    assert.equal(clock.timers, 1, "its own timer is gone, and that of the breakpoint's hits is left");
  });

  test("is held only where it fulfils the condition", async () => {
    const { steering, breakpoints, run } = steered(sum);
    done(breakpoints.set({ node_id: "sum/one", condition: "$ > 5 && $ < 8", max_hits: 100 }));

    assert.equal(run(5), 8);
    assert.equal(run(8), 11);
    const running = run(6) as Promise<unknown>;
    assert.deepEqual(places(steering), ["hold-1 sum/one"]);
    steering.resume("hold-1");
    assert.equal(await running, 9);
  });

  test("goes on by itself when its time is up", async () => {
    const { steering, breakpoints, run, events, clock } = steered(sum);
    done(breakpoints.set({ node_id: "sum/one", hold_ms: 1000 }));
    const running = run(1) as Promise<unknown>;

    await clock.advance(999);
    assert.equal(steering.paused().length, 1);
    await clock.advance(1);
    assert.equal(await running, 4);
    assert.equal(events.filter((event) => event.kind === "node_resumed" && event.how === "time").length, 1);
  });

  test("goes on where as many are held as may be, and is counted, not hit", async () => {
    const { steering, breakpoints, run } = steered(sum, { maxHeld: 2 });
    const { id } = done(breakpoints.set({ node_id: "sum/one", max_hits: 100 }));
    const held = [run(1), run(2)];

    assert.equal(run(3), 6);
    assert.equal(run(4), 7);
    assert.deepEqual(
      [breakpoints.get(id)?.hits, breakpoints.get(id)?.let_through, breakpoints.get(id)?.enabled],
      [2, 2, true],
    );
    steering.resume("hold-1");
    assert.ok(run(5) instanceof Promise, "there is room again");
    steering.close();
    assert.deepEqual(await Promise.all(held), [4, 5]);
  });

  test("is held once, however many breakpoints it fulfils there", async () => {
    const { steering, breakpoints, run } = steered(sum);
    const ids = [1, 2, 3]
      .map((n) => done(breakpoints.set({ node_id: "sum/one", mode: n === 3 ? "snapshot" : "hold" })))
      .map(({ id }) => id);
    const running = run(1) as Promise<unknown>;

    assert.equal(steering.paused()[0]?.breakpoint_id, ids[0]);
    assert.deepEqual(
      ids.map((id) => breakpoints.get(id)?.hits),
      [1, 0, 1],
    );
    steering.resume("hold-1");
    assert.equal(await running, 4);
  });

  test("is let go with its breakpoint, and all with the server", async () => {
    const { steering, breakpoints, run } = steered(sum);
    const first = done(breakpoints.set({ node_id: "sum/one", max_hits: 2 }));
    done(breakpoints.set({ node_id: "sum/two", max_hits: 2 }));
    const one = run(1) as Promise<unknown>;
    steering.remove(first.id);
    const two = run(10) as Promise<unknown>;
    await Promise.resolve();

    assert.deepEqual(
      steering
        .paused()
        .map(({ node_id }) => node_id)
        .sort(),
      ["sum/two"],
      "the other is not let go",
    );
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(steering.paused().length, 2, "the first came to the second breakpoint");
    steering.close();
    assert.deepEqual(await Promise.all([one, two]), [4, 13]);
    assert.equal(run(1), 4, "and nothing is held any more");
  });

  test("stays held when its breakpoint has had its hits", async () => {
    const { steering, breakpoints, run } = steered(sum);
    const { id } = done(breakpoints.set({ node_id: "sum/one" }));
    const running = run(1) as Promise<unknown>;

    assert.equal(breakpoints.get(id)?.enabled, false);
    assert.equal(run(1), 4);
    assert.equal(steering.paused().length, 1);
    steering.resume("hold-1");
    assert.equal(await running, 4);
  });
});

describe("a held run", () => {
  test("that is stepped is held again at the next node, whatever breakpoints that has", async () => {
    const { steering, breakpoints, run, clock } = steered(sum, { maxHeld: 1 });
    done(breakpoints.set({ node_id: "sum/one", hold_ms: 700, max_hits: 2 }));
    const running = run(1) as Promise<unknown>;

    assert.equal(done(steering.step("hold-1")).how, "step");
    const other = run(5) as Promise<unknown> | number;
    assert.equal(other, 8, "nobody takes its place meanwhile");
    await clock.advance(0);
    assert.deepEqual(places(steering), ["hold-2 sum/two"]);
    assert.equal(steering.paused()[0]?.breakpoint_id, null);
    steering.step("hold-2");
    await clock.advance(0);
    assert.deepEqual(places(steering), ["hold-3 sum/three"]);
    await clock.advance(700);
    assert.equal(await running, 4, "as long as it was held before");
  });

  test("that is stepped from the last node is over, and nothing of it is left", async () => {
    const { steering, breakpoints, run } = steered(sum, { maxHeld: 1 });
    const { id } = done(breakpoints.set({ node_id: "sum/three" }));
    const running = run(1) as Promise<unknown>;
    steering.step("hold-1");
    assert.equal(await running, 4);

    assert.equal(steering.beforeNode, undefined);
    breakpoints.change(id, { enabled: true });
    assert.ok(run(1) instanceof Promise, "its place is free");
    steering.close();
  });

  test("that is aborted ends as a run that was aborted", async () => {
    const ran: string[] = [];
    const axon = Axon.start("a").thenFn("never", () => ran.push("never"));
    const { steering, breakpoints, run, events } = steered(axon);
    done(breakpoints.set({ node_id: "a/never" }));
    const running = run();

    assert.equal(done(steering.abort("hold-1")).how, "abort");
    assert.equal(codeOf(await running), "RUN_ABORTED");
    assert.deepEqual(ran, []);
    assert.equal(events.filter(({ kind }) => kind === "node_resumed").length, 1);
  });

  test("is let go once", async () => {
    const { steering, breakpoints, run } = steered(sum);
    done(breakpoints.set({ node_id: "sum/one" }));
    const running = run(1);
    steering.resume("hold-1");

    for (const again of [
      steering.resume("hold-1"),
      steering.step("hold-1"),
      steering.abort("hold-1"),
      steering.resume("x"),
    ])
      assert.equal(refused(again).code, "PAUSED_RUN_UNKNOWN");
    assert.equal(await running, 4);
  });

  test("is not held before an input which could be waited for, and nothing runs that", async () => {
    let ran = 0;
    const query = { then: (resolve: (rows: unknown) => void) => resolve(`rows ${++ran}`) };
    const axon = Axon.start("a")
      .then({ name: "decide", branches: ["way"], run: () => branch("way", query) })
      .branch(
        "way",
        Axon.start<unknown>("way").thenFn("look", (given) => given === query),
      );
    const { steering, breakpoints, run } = steered(axon);
    const set = done(breakpoints.set({ node_id: "a/decide:way/look" }));

    assert.equal(await run(), true);
    assert.deepEqual([steering.paused(), ran], [[], 0]);
    assert.equal(breakpoints.list().find(({ id }) => id === set.id)?.let_through, 1);
  });

  test("goes on with what an operator put in the place of its input", async () => {
    const { steering, breakpoints, run } = steered(sum);
    done(breakpoints.set({ node_id: "sum/two" }));
    const running = run(1);

    done(steering.resume("hold-1", { input: 100 }));

    assert.equal(await running, 102);
  });

  test("takes an edit that fits its node's schema, and goes on waiting behind one that does not", async () => {
    const schema = Type.Object({ qty: Type.Integer({ minimum: 1 }) });
    const axon = Axon.start<{ qty: number }>("order").then(
      transition({ name: "price", input: schema, run: ({ qty }: { qty: number }) => qty * 3 }),
    );
    const { steering, breakpoints, run } = steered(axon, { schemaOf: () => schema });
    done(breakpoints.set({ node_id: "order/price" }));
    const running = run({ qty: 1 });
    assert.equal(steering.paused()[0]?.input_schema, schema);

    for (const input of [{ qty: 0 }, { qty: "2" }, null, []]) {
      const { code, particulars } = refused(steering.resume("hold-1", { input }));
      assert.equal(code, "EDIT_INVALID");
      assert.ok((particulars.errors?.length ?? 0) > 0);
    }
    assert.equal(refused(steering.step("hold-1", { input: undefined })).code, "EDIT_INVALID");
    done(steering.resume("hold-1", { input: { qty: 5 } }));
    assert.equal(await running, 15);
  });

  test("keeps what was masked when it was shown, where the edit has it as it was shown", async () => {
    const axon = Axon.start<object>("login").thenFn("check", (input) => input);
    const masked = { kind: "full", value: { user: "ada", password: "[redacted]" }, is_cut: false } as const;
    const { steering, breakpoints, run } = steered(axon, { capture: () => masked });
    done(breakpoints.set({ node_id: "login/check" }));
    const running = run({ user: "ada", password: "s3cret" });

    done(steering.resume("hold-1", { input: { user: "bob", password: "[redacted]" } }));

    assert.deepEqual(await running, { user: "bob", password: "s3cret" });
  });

  test("is still held behind an edit that would take its class from its input", async () => {
    class Money {
      readonly amount = 5;
    }
    const money = new Money();
    const axon = Axon.start<object>("pay").thenFn("use", (input) => input);
    const shown = { kind: "full", value: { amount: 5 }, is_cut: false } as const;
    const { steering, breakpoints, run } = steered(axon, { capture: () => shown });
    done(breakpoints.set({ node_id: "pay/use" }));
    const running = run(money);

    const { code, particulars } = refused(steering.resume("hold-1", { input: { amount: 6 } }));
    assert.equal(code, "EDIT_INVALID");
    assert.match(particulars.detail ?? "", /^The input is an instance/);
    done(steering.resume("hold-1", { input: { amount: 5 } }));
    assert.equal(await running, money);
  });

  test("in one of several parallel steps leaves the others alone", async () => {
    const named = (name: string) => transition({ name, run: (n: number) => n });
    const axon = Axon.start<number>("p").parallel([named("a"), named("b")], "AllMustSucceed", (list) => list);
    const { steering, breakpoints, run } = steered(axon);
    done(breakpoints.set({ node_id: "p/parallel/a" }));
    done(breakpoints.set({ node_id: "p/parallel/b" }));
    const running = run(1);

    assert.deepEqual(places(steering), ["hold-1 p/parallel/a", "hold-2 p/parallel/b"]);
    steering.resume("hold-2", { input: 2 });
    steering.resume("hold-1");
    assert.deepEqual(await running, [1, 2]);
  });

  test("whose run ends otherwise is held no more", async () => {
    const named = (name: string) => transition({ name, run: (n: number) => n });
    const failing = transition({ name: "fail", run: () => Promise.reject(new Error("no")) });
    const axon = Axon.start<number>("p").parallel([named("a"), failing], "AllMustSucceed", (list) => list);
    const { steering, breakpoints, run, events } = steered(axon);
    done(breakpoints.set({ node_id: "p/parallel/a" }));

    assert.equal(codeOf(await run(1)), "TRANSITION_PANIC");
    assert.deepEqual(steering.paused(), []);
    assert.ok(events.some((event) => event.kind === "node_resumed" && event.how === "gone"));
  });
});
