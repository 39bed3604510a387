import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, bytes, Framework, guard, layer, pass } from "framework";
import { InFlight } from "#http/exchange/in-flight.js";
import { MemoryRequest } from "#http/exchange/memory/memory-request.js";
import { MemoryResponse } from "#http/exchange/memory/memory-response.js";
import { servedIngress } from "#http/serving/served-ingress.js";

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** An ingress whose time passes by hand. */
function waiting(axon: object, options: { timeoutMs?: number } = {}, routeTimeoutMs = 250) {
  const { plan } = Framework.http({ routeTimeoutMs, processGuards: false }).get("/", axon as never, options);
  const inFlight = new InFlight(plan);
  const { dispatcher, routes, deadlines } = servedIngress(plan, {}, inFlight);
  const response = new MemoryResponse(() => {});
  dispatcher.handle(response, new MemoryRequest("/", [["host", "a"]]), "GET");
  const tick = (times: number): void => {
    for (let i = 0; i < times; i += 1) deadlines.tick();
  };
  return { routes, response, inFlight, tick };
}

describe("a run that waits too long", () => {
  test("is answered 504 when its time is up and not before", () => {
    const { response, tick } = waiting(
      Axon.start("never").thenFn("wait", () => new Promise<string>(() => {})),
    );

    tick(1);
    assert.equal(response.head.length, 0);
    tick(1);
    assert.equal(response.head[0], "504 Gateway Timeout");
    tick(100);
    assert.equal(response.head.filter((line) => line.startsWith("504")).length, 1);
  });

  test("is aborted: its signal fires, no step begins any more, and what it answers later goes nowhere", async () => {
    const told: string[] = [];
    let answer: (value: string) => void = () => {};
    const { routes, response, inFlight, tick } = waiting(
      Axon.start("late")
        .thenFn("wait", (_: void, bus) => {
          bus.signal.addEventListener("abort", () => told.push(String(bus.signal.reason.message)));
          return new Promise<string>((resolve) => {
            answer = resolve;
          });
        })
        .thenFn("after", (text) => {
          told.push("after");
          return text;
        }),
    );

    tick(2);
    await settled();
    answer("late");
    await settled();
    assert.deepEqual(told, ["The route's time is up"]);
    assert.equal(response.head[0], "504 Gateway Timeout");
    assert.deepEqual([routes.running, inFlight.count], [0, 0]);
  });

  test("has the time of its route", () => {
    const never = Axon.start("never").thenFn("wait", () => new Promise<string>(() => {}));
    const { response, tick } = waiting(never, { timeoutMs: 1000 });

    tick(4);
    assert.equal(response.head.length, 0);
    tick(1);
    assert.equal(response.head[0], "504 Gateway Timeout");
  });

  test("has the time of its group, where it has none of its own", async () => {
    const never = Axon.start("never").thenFn("wait", () => new Promise<string>(() => {}));
    const { plan } = Framework.http({ processGuards: false }).group("/slow", { timeoutMs: 500 }, (group) =>
      group.get("/a", never).get("/b", never, { timeoutMs: 250 }),
    );

    assert.deepEqual(
      plan.routes.map(({ timeoutMs }) => timeoutMs),
      [500, 250],
    );
  });

  test("is answered although what stands around it does not end", async () => {
    const stubborn = layer({
      name: "stubborn",
      run: (_, next) => Promise.resolve(next()).then(() => new Promise(() => {})),
    });
    const { plan } = Framework.http({ routeTimeoutMs: 250, processGuards: false })
      .layer(stubborn as never)
      .get(
        "/",
        Axon.start("quick").thenFn("answer", () => "quick"),
      );
    const { dispatcher, deadlines } = servedIngress(plan, {}, new InFlight(plan));
    const response = new MemoryResponse(() => {});
    dispatcher.handle(response, new MemoryRequest("/", [["host", "a"]]), "GET");
    await settled();

    deadlines.tick();
    deadlines.tick();
    assert.equal(response.head[0], "504 Gateway Timeout");
  });

  test("is not one that has answered", async () => {
    const { response, tick } = waiting(Axon.start("soon").thenFn("answer", async () => "soon"));

    await settled();
    tick(10);
    assert.deepEqual(response.head.slice(0, 1), ["200 OK"]);
  });

  test("has waited for its body too, where a guard has let it in before", (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const never = Axon.start<Uint8Array>("never").thenFn("wait", () => new Promise<string>(() => {}));
    const guards = [guard({ name: "open", run: (input) => pass(input) })];
    const answerAfter = (timeoutMs: number, bodyAfter: number, ticks: number) => {
      const { plan } = Framework.http({ processGuards: false, bodyTimeoutMs: 1000 }).post("/", never, {
        input: bytes(),
        guards,
        timeoutMs,
      });
      const { dispatcher, deadlines } = servedIngress(plan, {}, new InFlight(plan));
      const response = new MemoryResponse(() => {});
      const head = [["content-length", "1"] as const, ["host", "a"] as const];
      dispatcher.handle(response, new MemoryRequest("/", head), "POST");
      for (let i = 1; i <= ticks; i += 1) {
        deadlines.tick();
        if (i === bodyAfter) response.deliver(Uint8Array.of(1), true);
      }
      // The client sends nothing.
      t.mock.timers.tick(300);
      return response.head[0];
    };

    assert.equal(answerAfter(500, 100, 2), undefined);
    assert.equal(answerAfter(500, 100, 3), "504 Gateway Timeout");
    assert.equal(answerAfter(2000, 3, 8), undefined);
    assert.equal(answerAfter(2000, 3, 9), "504 Gateway Timeout");
  });

  test("cannot be given a time that is none", () => {
    for (const ms of [0, -1, 1.5, Number.NaN, 3_600_001]) {
      assert.throws(() => Framework.http({ routeTimeoutMs: ms }), { code: "CONFIG_INVALID" });
      assert.throws(() => Framework.http().timeoutLayer(ms), { code: "CONFIG_INVALID" });
    }
    assert.equal(Framework.http().timeoutLayer(5).plan.routeTimeoutMs, 5);
  });
});
