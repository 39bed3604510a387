import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import { Axon, busKey, Framework, fault, isFault, type Report } from "framework";
import { TestApp } from "framework/http";
import { DISPOSE_LIMIT_MS } from "#http/request/disposal.js";

import { closed, hello, tick } from "../../support/guarded-orders.js";
import { turn } from "../../support/outcome-code.js";

describe("what a run is provided", () => {
  test("is disposed of when it ends, the last made first, before the answer, whatever the outcome", async () => {
    const told: string[] = [];
    const Tx = busKey<string>()("Tx");
    const Row = busKey<string>()("Row");
    const end = (name: string) => async (value: string, outcome: unknown) => {
      await tick();
      told.push(`${name} ${value} ${typeof outcome === "string" ? outcome : "fault"}`);
    };
    const use = (axonName: string, answer: () => unknown) =>
      Axon.start(axonName).thenFn(
        "use",
        (_, bus) => {
          bus.get(Row);
          return answer();
        },
        { reads: [Row] },
      );
    const app = new TestApp(
      Framework.http({ reporter: () => {} })
        .provide(Tx, () => "tx", { dispose: end("end") })
        .provide(Row, async (bus) => `row of ${bus.get(Tx)}`, { reads: [Tx], dispose: end("drop") })
        .get(
          "/ok",
          use("ok", () => "done"),
        )
        .get(
          "/fault",
          use("f", () => fault(closed)),
        )
        .get(
          "/boom",
          use("b", () => Promise.reject(new Error("boom"))),
        )
        .get("/unused", hello),
    );

    assert.equal((await app.get("/ok")).text, "done");
    assert.deepEqual(told.splice(0), ["drop row of tx done", "end tx done"]);
    assert.equal((await app.get("/fault")).status, 403);
    assert.deepEqual(told.splice(0), ["drop row of tx fault", "end tx fault"]);
    assert.equal((await app.get("/boom")).status, 500);
    assert.deepEqual(told.splice(0), ["drop row of tx fault", "end tx fault"]);
    assert.equal((await app.get("/unused")).text, "hello");
    assert.deepEqual(told, []);
  });

  test("is no success where disposing fails", async () => {
    const reports: string[] = [];
    const Tx = busKey<string>()("Tx");
    const use = Axon.start("use").thenFn("use", (_, bus) => bus.get(Tx), { reads: [Tx] });
    for (const dispose of [
      () => Promise.reject(new Error("commit")),
      () => {
        throw new Error("commit");
      },
    ]) {
      const app = new TestApp(
        Framework.http({ reporter: ({ code }) => reports.push(code) })
          .provide(Tx, () => "tx", { dispose })
          .get("/", use),
      );
      assert.equal((await app.get("/")).status, 500);
    }
    assert.deepEqual([...new Set(reports)], ["DISPOSE_FAILED", "TRANSITION_PANIC"]);
  });

  test("is disposed of when the client goes away", async () => {
    const told: unknown[] = [];
    const Tx = busKey<string>()("Tx");
    const slow = Axon.start("slow").thenFn("slow", (_, bus) => new Promise(() => bus.get(Tx)), {
      reads: [Tx],
    });
    const app = new TestApp(
      Framework.http()
        .provide(Tx, () => "tx", { dispose: (value) => told.push(value) })
        .get("/", slow),
    );
    const leaving = new AbortController();
    const answer = app.get("/", { signal: leaving.signal });
    leaving.abort();
    await assert.rejects(answer);
    await tick();
    assert.deepEqual(told, ["tx"]);
  });

  test("is disposed of although the client went away while it was made, and stopping waits for it", async () => {
    const told: unknown[] = [];
    const Db = busKey<AsyncDisposable>()("Db");
    const Tx = busKey<string>()("Tx");
    const use = Axon.start("use").thenFn("use", (_, bus) => bus.get(Tx), { reads: [Tx] });
    let make: (value: string) => void = () => {};
    let dispose: () => void = () => {};
    const made = new Promise<string>((resolve) => {
      make = resolve;
    });
    const disposed = new Promise<void>((resolve) => {
      dispose = resolve;
    });
    const app = new TestApp(
      Framework.http({ resources: [Db] })
        .provide(Tx, async () => made, {
          dispose: async (value, outcome) => {
            told.push(value, isFault(outcome));
            await disposed;
            told.push("done");
          },
        })
        .get("/", use),
      { Db: { [Symbol.asyncDispose]: async () => void told.push("Db") } },
    );
    const leaving = new AbortController();
    const answer = app.get("/", { signal: leaving.signal });
    await tick();
    leaving.abort();
    await assert.rejects(answer);
    const closing = app.close();
    await wait(30);
    assert.deepEqual(told.splice(0), []);
    make("tx");
    await wait(30);
    assert.deepEqual(told.splice(0), ["tx", true]);
    dispose();
    await closing;
    assert.deepEqual(told, ["done", "Db"]);
  });
});

const Tx = busKey<string>()("Tx");
const Lock = busKey<string>()("Lock");

describe("what is provided and takes too long to dispose of", () => {
  test("is left behind and reported: the next is disposed of, and the answer is 500", async (t) => {
    const told: string[] = [];
    const reports: Report[] = [];
    const use = Axon.start("use").thenFn("use", (_, bus) => bus.get(Lock) + bus.get(Tx), {
      reads: [Lock, Tx],
    });
    let disposing = false;
    const app = new TestApp(
      Framework.http({ reporter: (report) => reports.push(report) })
        .provide(Lock, () => "lock", { dispose: () => told.push("unlocked") })
        .provide(Tx, () => "tx", {
          dispose: () => {
            disposing = true;
            return new Promise(() => {});
          },
        })
        .get("/", use),
    );
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const answer = app.get("/");
    while (!disposing) await turn();
    t.mock.timers.tick(DISPOSE_LIMIT_MS - 1);
    await turn();
    assert.deepEqual(told, []);
    t.mock.timers.tick(1);

    assert.equal((await answer).status, 500);
    assert.deepEqual(told, ["unlocked"]);
    assert.equal(reports[0]?.code, "DISPOSE_FAILED");
    assert.match(String(reports[0]?.error), /longer than 10000 ms/);
  });
});
