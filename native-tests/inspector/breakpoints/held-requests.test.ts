import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, test } from "node:test";

import { Axon, Framework, guard, json, pass, Type, transition } from "framework";
import { TestApp } from "framework/http";

import { inspectorCodes } from "#core/error-codes.js";
import type { RouteInfo } from "#http/plan/route-info.js";
import type { PausedRun } from "#inspector/api/breakpoints.js";
import type { BreakpointEvent } from "#inspector/breakpoints/breakpoint-event.js";
import { Steering } from "#inspector/breakpoints/steering.js";
import { Circuits } from "#inspector/server/circuits.js";
import { until } from "../../support/patience.js";
import { capture, done, recorderOf, refused } from "../../support/steered-circuit.js";

const hello = Axon.start("hello").thenFn("say", () => "hello");

function held() {
  const events: BreakpointEvent[] = [];
  const steering = new Steering({ capture, tell: (event) => events.push(event) });
  const ingress = Framework.http({ recorder: recorderOf(steering), processGuards: false }).get(
    "/hello/:name",
    hello,
  );
  const hold = () => done(steering.breakpoints.set({ node_id: "hello/say", max_hits: 100 }));
  const paused = () => until("a run is held", () => steering.paused().length > 0);
  const endings = () => events.flatMap((event) => (event.kind === "node_resumed" ? [event.how] : []));
  return { steering, ingress, hold, paused, endings };
}

describe("a held request", () => {
  test("is shown with its run, and answered once it is let go", async () => {
    const { steering, ingress, hold, paused } = held();
    await using app = new TestApp(ingress.requestIdLayer());
    hold();
    const asking = app.get("/hello/you?secret=1", { headers: { "x-request-id": "mine" } });
    await paused();

    const [shown] = steering.paused();
    assert.deepEqual(shown?.request, { method: "GET", path: "/hello/you", request_id: "mine" });
    done(steering.resume(shown?.id ?? ""));
    assert.equal((await asking).text, "hello");
  });

  test("is held wherever its Schematic has a node that runs", async () => {
    const steering = new Steering({ capture });
    const ingress = Framework.http({ recorder: recorderOf(steering) })
      .layer({ name: "around", run: (_, next) => next() })
      .guard(guard({ name: "open", run: (input) => pass(input) }))
      .post("/", Axon.start<unknown>("all").subgraph(Axon.start<unknown>("inner").thenFn("say", (x) => x)), {
        input: json(Type.Any()),
      });
    await using app = new TestApp(ingress);
    const nodes = ["all:layer/around", "all:guard/open", "all/inner", "all/inner/say"];
    for (const node_id of nodes) done(steering.breakpoints.set({ node_id }));
    const asking = app.post("/", { json: { a: 1 } });
    for (const node_id of nodes) {
      await until(node_id, () => steering.paused().length > 0);
      const [shown] = steering.paused();
      assert.equal(shown?.node_id, node_id);
      done(steering.resume(shown?.id ?? ""));
    }

    assert.deepEqual((await asking).json, { a: 1 });
  });

  test("that is aborted is answered 503, as any run that was aborted", async () => {
    const { steering, ingress, hold, paused } = held();
    await using app = new TestApp(ingress);
    hold();
    const asking = app.get("/hello/you");
    await paused();
    done(steering.abort(steering.paused()[0]?.id ?? ""));

    const { status, text } = await asking;
    assert.equal(status, 503);
    assert.equal(JSON.parse(text).code, "RUN_ABORTED");
  });

  test("whose client goes away is held no more", async () => {
    const { steering, ingress, hold, paused, endings } = held();
    const server = await ingress.bind("127.0.0.1:0").run();
    try {
      hold();
      const socket = connect(Number(server.address.split(":")[1]), "127.0.0.1");
      socket.write("GET /hello/you HTTP/1.1\r\nhost: a\r\n\r\n");
      await paused();
      socket.destroy();
      await until("it is let go", () => steering.paused().length === 0);

      assert.deepEqual(endings(), ["gone"]);
    } finally {
      await server.close();
    }
  });

  test("whose route has no more time for it is held no more", async () => {
    const { steering, hold, endings } = held();
    const ingress = Framework.http({ recorder: recorderOf(steering) }).get("/", hello, { timeoutMs: 30 });
    await using app = new TestApp(ingress);
    hold();

    assert.equal((await app.get("/")).status, 504);
    assert.deepEqual(endings(), ["gone"]);
  });

  test("is shown to end when its route's time is up, also after a step", async () => {
    let routes: readonly RouteInfo[] = [];
    const circuits = new Circuits(() => routes);
    const steering = new Steering({ capture, timeoutMsOf: (...run) => circuits.timeoutMsOf(...run) });
    const two = Axon.start("hello")
      .thenFn("say", () => "hello")
      .thenFn("end", (said) => said);
    const ingress = Framework.http({ recorder: recorderOf(steering) })
      .get("/", two, { timeoutMs: 60_000 })
      .get("/longer", Axon.start("longer").then(transition({ name: "say", run: () => "hello" })));
    routes = ingress.routes();
    await using app = new TestApp(ingress);
    const held = async (node_id: string) => {
      await until(node_id, () => steering.paused()[0]?.node_id === node_id);
      const { id, since, until: end } = steering.paused()[0] as PausedRun;
      return { id, since, end };
    };
    for (const node_id of ["hello/say", "longer/say"])
      done(steering.breakpoints.set({ node_id, hold_ms: node_id === "hello/say" ? 120_000 : 20_000 }));
    const asking = app.head("/");
    const first = await held("hello/say");
    done(steering.step(first.id));
    const second = await held("hello/end");
    done(steering.resume(second.id));
    await asking;
    const longer = app.get("/longer");
    const third = await held("longer/say");
    done(steering.resume(third.id));
    await longer;

    // The run began before it was held.
    assert.ok(first.end <= first.since + 60_000, "the limit is the earlier of both");
    assert.ok(first.end > first.since, "it is not over yet");
    assert.equal(second.end, first.end);
    assert.equal(third.end, third.since + 20_000);
  });

  test("takes at its first step what its Axon takes, behind whatever decides before it", async () => {
    let routes: readonly RouteInfo[] = [];
    const circuits = new Circuits(() => routes);
    const steering = new Steering({ capture, schemaOf: (...node) => circuits.schemaOf(...node) });
    const Sum = Type.Object({ n: Type.Integer() });
    const sum = Axon.start("sum", Sum)
      .then(guard({ name: "inner", run: (input) => pass(input) }))
      .thenFn("add", ({ n }) => n + 1)
      .thenFn("tell", (n) => ({ n }));
    const ingress = Framework.http({ recorder: recorderOf(steering) })
      .layer({ name: "around", run: (_, next) => next() })
      .guard(guard({ name: "open", run: (input) => pass(input) }))
      .post("/", sum);
    routes = ingress.routes();
    await using app = new TestApp(ingress);
    for (const node_id of ["sum/add", "sum/tell"]) done(steering.breakpoints.set({ node_id }));
    const asking = app.post("/", { json: { n: 1 } });
    const held = async (node_id: string) => {
      await until(node_id, () => steering.paused()[0]?.node_id === node_id);
      return steering.paused()[0] as PausedRun;
    };
    const first = await held("sum/add");

    assert.deepEqual(first.input_schema, Sum);
    const { code, particulars } = refused(steering.resume(first.id, { input: { n: "many" } }));
    assert.deepEqual(
      [code, inspectorCodes[code].status, particulars.errors?.map(({ pointer }) => pointer)],
      ["EDIT_INVALID", 422, ["/n"]],
    );
    done(steering.resume(first.id, { input: { n: 41 } }));
    const second = await held("sum/tell");
    assert.deepEqual([second.input_schema, circuits.schemaOf("sum", "sum:guard/open")], [null, undefined]);
    done(steering.resume(second.id));
    assert.deepEqual((await asking).json, { n: 42 });
  });

  test("is answered by a server that stops and lets its runs go", async () => {
    const { steering, ingress, hold, paused } = held();
    const server = await ingress.bind("127.0.0.1:0").run();
    hold();
    const socket = connect(Number(server.address.split(":")[1]), "127.0.0.1");
    const pieces: Buffer[] = [];
    socket.on("data", (piece) => pieces.push(piece));
    socket.write("GET /hello/you HTTP/1.1\r\nhost: a\r\n\r\n");
    await paused();
    const closed = once(socket, "close");
    const closing = server.close();
    steering.close();
    await Promise.all([closing, closed]);

    assert.match(String(Buffer.concat(pieces)), /^HTTP\/1.1 200 [\s\S]*hello$/);
  });
});
