import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  fault,
  guard,
  header,
  isFault,
  json,
  jump,
  Log,
  ProblemDetail,
  pass,
  RequestQuery,
  Secret,
  Sensitive,
  Type,
} from "framework";
import { TestApp } from "framework/http";
import type { Trace } from "#inspector/api/traces.js";
import { keepLog } from "../../support/logged-ingress.js";
import { tracedApp } from "../../support/traced-app.js";

const Price = busKey<number>()("Price");
const Key = busKey<Secret<string>>()("ApiAccess");
const PLANTED = "hunter2-planted";

const Order = Type.Object({
  sku: Type.String(),
  qty: Type.Integer(),
  phone: Sensitive(Type.String()),
  notes: Type.Array(Sensitive(Type.String())),
});
const order = { sku: "tea", qty: 2, phone: PLANTED, notes: [PLANTED] };

const noRobots = guard({
  name: "NoRobots",
  reads: [header("user-agent")],
  run: (input, bus) =>
    bus.get(header("user-agent")) === "robot"
      ? fault(
          new ProblemDetail({
            status: 403,
            code: "ROBOT",
            title: "Robots may not order",
            detail: "Ask a human",
          }),
        )
      : pass(input),
});

const orders = Axon.start("orders", Order)
  .thenFn(
    "price",
    (given, bus) => {
      bus.set(Price, given.qty * 2);
      return given;
    },
    { writes: [Price] },
  )
  .thenFn("sum", ({ phone, notes }, bus) => ({ cents: bus.get(Price), phone, kept: { notes } }), {
    reads: [Price],
  });

const ordersApp = (mode: "off" | "hash" | "full" = "off") =>
  tracedApp((ingress) => ingress.post("/orders/:token", orders, { guards: [noRobots] }), mode);
const send = (app: ReturnType<typeof ordersApp>["app"], body: unknown = order, agent = "me") =>
  app.post("/orders/t-1", { json: body, headers: { "user-agent": agent, "x-request-id": "mine" } });

const values = ({ nodes }: Trace) =>
  nodes.map(({ label, input, output }) => [label, ...[input, output].map((at) => "value" in at && at.value)]);

describe("a traced request", () => {
  test("is a trace with its request, its nodes in their order and what they did on the Bus", async () => {
    const { app, newest } = ordersApp();
    await send(app);
    const { run, nodes, bus, events, events_dropped } = newest();

    assert.deepEqual(
      { ...run, run_id: "", started_at: 0, duration_us: 0, ended_at: 0 },
      {
        run_id: "",
        circuit: "orders",
        version: "1.0.0",
        status: "completed",
        started_at: 0,
        duration_us: 0,
        ended_at: 0,
        node_count: 4,
        request: {
          method: "POST",
          path: "/orders/[redacted]",
          route: "/orders/:token",
          request_id: "mine",
          trace_id: null,
          http_status: 200,
        },
        goes_on: null,
        fault: null,
      },
    );
    assert.deepEqual(
      nodes.map(({ label, kind, outcome, depth }) => [label, kind, outcome, depth]),
      [
        ["NoRobots", "Guard", "next", 0],
        ["orders", "Ingress", "next", 0],
        ["price", "Atom", "next", 0],
        ["sum", "Atom", "next", 0],
      ],
    );
    assert.deepEqual(
      bus.map(({ node, access, key, value }) => [node, access, key, value.kind]),
      [
        ["orders:guard/NoRobots", "read", "header:user-agent", "off"],
        ["orders/price", "write", "Price", "off"],
        ["orders/sum", "read", "Price", "off"],
      ],
    );
    assert.equal(events.length, 8);
    assert.equal(events_dropped, 0);
    assert.ok(nodes.every(({ input, output }) => input.kind === "off" && output.kind === "off"));
  });

  test("that was refused says in words which guard did and why", async () => {
    const { app, newest } = ordersApp();
    const { status } = await send(app, order, "robot");
    const { run, nodes } = newest();

    assert.equal(status, 403);
    assert.deepEqual(run.fault, {
      node: "orders:guard/NoRobots",
      label: "NoRobots",
      code: "ROBOT",
      status: 403,
      title: "Robots may not order",
      detail: "Ask a human",
    });
    assert.deepEqual([run.status, run.request?.http_status], ["faulted", 403]);
    assert.deepEqual(
      nodes.map(({ outcome }) => outcome),
      ["fault"],
    );
  });

  test("with a wrong body says where that is against its schema, and quotes nothing of it", async () => {
    const { app, newest } = ordersApp("full");
    await send(app, { ...order, qty: "two", phone: { [PLANTED]: 1 } });
    const { run } = newest();

    assert.deepEqual(
      [run.fault?.code, run.fault?.status, run.fault?.label],
      ["INPUT_INVALID", 422, "orders"],
    );
    assert.equal(run.fault?.detail, "/qty: an integer; /phone: a string");
    assert.ok(!JSON.stringify(newest()).includes(PLANTED));
  });

  test("whose input is refused before a run begins is a run without nodes, found by its request", async () => {
    const { app, rows, newest, store } = tracedApp((ingress) => ingress.post("/orders", orders), "full");
    const refused = async (id: string, contentType: string, body: string) => {
      const headers = { "content-type": contentType, "x-request-id": id };
      const { status } = await app.post("/orders", { body, headers });
      const found = store.query({ request_id: id });
      assert.ok(!isFault(found) && found.traces.length === 1);
      const { run, nodes } = newest();
      assert.deepEqual(nodes, []);
      assert.deepEqual([run.status, run.request?.http_status], ["refused_input", status]);
      return [status, run.fault?.code, run.fault?.node];
    };

    assert.deepEqual(await refused("a", "text/plain", "tea"), [415, "MEDIA_TYPE_UNSUPPORTED", "orders:in"]);
    assert.deepEqual(await refused("b", "application/json", "{"), [400, "JSON_INVALID", "orders:in"]);
    const wrong = JSON.stringify({ ...order, qty: PLANTED });
    assert.deepEqual(await refused("c", "application/json", wrong), [422, "INPUT_INVALID", "orders:in"]);
    const long = await refused("d", "application/json", `"${"x".repeat(2_000_000)}"`);
    assert.deepEqual(long, [413, "BODY_TOO_LARGE", "orders:in"]);
    assert.equal(rows().length, 4);
    assert.ok(!JSON.stringify(rows()).includes(PLANTED));
  });

  test("that threw says the class of what was thrown, and where", async () => {
    for (const mode of ["off", "full"] as const) {
      const { app, newest } = tracedApp(
        (ingress) =>
          ingress.get(
            "/",
            Axon.start("boom").thenFn("throw", (): string => {
              throw new TypeError("the shelf is broken, password=abc123");
            }),
          ),
        mode,
      );
      await app.get("/");
      const { fault: why } = newest().run;

      assert.deepEqual([why?.label, why?.status], ["throw", 500]);
      assert.match(why?.detail ?? "", /^Step 'throw' threw: TypeError at .*trace-collector\.test/);
    }
  });
});

describe("captured values", () => {
  test("are there whole but for what is marked, wherever it goes on to", async () => {
    const { app, newest } = ordersApp("full");
    await send(app);
    const shown = { ...order, phone: "[redacted]", notes: "[redacted]" };
    const trace = newest();

    assert.deepEqual(values(trace), [
      ["NoRobots", null, null],
      ["orders", null, { ...shown, notes: ["[redacted]"] }],
      ["price", shown, shown],
      ["sum", shown, { cents: 4, phone: "[redacted]", kept: { notes: "[redacted]" } }],
    ]);
    assert.deepEqual(
      trace.bus.map(({ value }) => "value" in value && value.value),
      ["me", 4, 4],
    );
    assert.ok(!JSON.stringify(trace).includes(PLANTED));
  });

  test("as hashes are equal where the values are, and tell nothing more", async () => {
    const { app, newest } = ordersApp("hash");
    await send(app);
    const one = newest();
    await send(app, { ...order, phone: "another" });
    const same = newest();
    await send(app, { ...order, qty: 3 });
    const other = newest();
    const hashes = ({ nodes }: Trace) =>
      nodes.map(({ output }) => ("hash" in output ? output.hash : output.kind));

    assert.deepEqual(hashes(one), hashes(same), "what is masked is no difference");
    assert.deepEqual(
      hashes(one).map((hash, at) => hash === hashes(other)[at]),
      [true, false, false, false],
    );
    assert.ok(!JSON.stringify(one).includes("tea"));
  });

  test("are what they were when they were seen", async () => {
    const { app, newest } = tracedApp(
      (ingress) =>
        ingress.get(
          "/",
          Axon.start("changing")
            .thenFn("make", () => ({ n: 1 }))
            .thenFn("change", (made) => {
              made.n = 2;
              return made;
            }),
        ),
      "full",
    );
    await app.get("/");

    assert.deepEqual(values(newest()), [
      ["make", null, { n: 1 }],
      ["change", { n: 1 }, { n: 2 }],
    ]);
  });

  test("have no secret of a request's header, cookie, query, path, body, form or Bus", async () => {
    const leaky = Axon.start<{ readonly deep: { readonly pin: string } }>("leaky")
      .thenFn(
        "read",
        (given, bus) => {
          bus.set(Key, new Secret(PLANTED));
          return {
            given,
            query: bus.find(RequestQuery),
            auth: { authorization: bus.get(header("authorization")) },
          };
        },
        { reads: [header("authorization"), header("cookie")], mayRead: [RequestQuery], writes: [Key] },
      )
      .thenFn("again", (all, bus) => ({ all, secret: bus.get(Key) }), { reads: [Key] })
      .thenFn("fail", (): string => {
        throw new Error(`could not log in with {"secret":"${PLANTED}"} at https://me:${PLANTED}@db/x`);
      });
    const { app, newest } = tracedApp(
      (ingress) =>
        ingress.post("/leaky/:secret", leaky, {
          input: json(Type.Object({ deep: Type.Object({ pin: Type.String() }) })),
        }),
      "full",
    );
    await app.post(`/leaky/${PLANTED}?access_token=${PLANTED}`, {
      json: { deep: { pin: PLANTED } },
      headers: { authorization: `Bearer ${PLANTED}`, cookie: `a=${PLANTED}` },
    });
    const trace = newest();

    assert.equal(trace.run.fault?.label, "fail");
    assert.ok(!JSON.stringify(trace).includes(PLANTED), JSON.stringify(trace));
  });

  test("are bounded in size, each and in all", async () => {
    const big = Array.from({ length: 3000 }, (_, n) => `item number ${n}`);
    const { app, newest, store } = tracedApp(
      (ingress) =>
        ingress.get(
          "/",
          Axon.start("big")
            .thenFn("begin", () => 0)
            .label("again")
            .thenFn("turn", (n) => (n < 300 ? jump("again", n + 1) : n), { jumps: ["again"] })
            .thenFn("make", () => big),
        ),
      "full",
    );
    await app.get("/");
    const outputs = newest().nodes.map(({ output }) => output);

    assert.ok(outputs.every((output) => JSON.stringify(output).length <= 17_000));
    assert.deepEqual([outputs.length, outputs.at(-1)], [303, { kind: "off" }]);
    assert.ok(store.bytes < 1_000_000);
  });
});

describe("the lines of a run's log", () => {
  const talk = Axon.start("talk")
    .thenFn(
      "say",
      (_, bus) => {
        bus.get(Log).info({ sku: "tea", password: PLANTED }, "sold");
        bus.get(Log).debug("not written");
        return "done";
      },
      { reads: [Log] },
    )
    .thenFn("wait", (done) => new Promise<string>((resolve) => setImmediate(resolve, done)))
    .thenFn(
      "warn",
      (done, bus) => {
        bus.get(Log).warn("slow");
        return done;
      },
      { reads: [Log] },
    );

  function talking() {
    const traced = tracedApp((ingress) => ingress.get("/talk", talk));
    keepLog(traced.ingress, { level: "info" });
    const app = new TestApp(traced.ingress);
    const stop = traced.ingress.plan.log.read(traced.collector.readLine);
    const lines = (requestId: string) =>
      traced
        .rows()
        .flatMap(({ run_id, request }) =>
          request?.request_id === requestId
            ? (traced.store.get(run_id)?.logs ?? []).map(({ level, message }) => `${level} ${message}`)
            : [],
        );
    return { ...traced, app, stop, lines };
  }

  test("are with the run that wrote them, and no other", async () => {
    const { app, lines, newest } = talking();
    await Promise.all(["a", "b"].map((id) => app.get("/talk", { headers: { "x-request-id": `id-${id}` } })));

    assert.deepEqual(lines("id-a"), ["info sold", "warn slow"]);
    assert.deepEqual(lines("id-b"), ["info sold", "warn slow"]);
    assert.deepEqual(newest().logs[0]?.fields, { sku: "tea", password: "[redacted]" });
  });

  test("are not read any more once nobody wants them", async () => {
    const { app, stop, newest } = talking();
    stop();
    await app.get("/talk");

    assert.deepEqual(newest().logs, []);
  });
});
