import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  busKey,
  ExecutionMode,
  FencingToken,
  Framework,
  fault,
  guard,
  header,
  json,
  MemoryLocks,
  MemoryRuns,
  ProblemDetail,
  pass,
  RunId,
  Type,
  transition,
  VerifiedIdentity,
} from "framework";
import { MemoryAuditSink } from "framework/audit";
import { TestApp } from "framework/http";
import { BearerAuth, type InspectorOptions, inspectorOf } from "framework/inspector";
import type { AnyAxon } from "framework/runtime";

const [OPERATOR, VIEWER] = ["operator-token-0123456789", "viewer-token-0123456789"];
const Order = Type.Object({ id: Type.String(), price: Type.Number() });
const Who = busKey<string>()("Who");
const Total = busKey<number>()("Total");

const named = guard({
  name: "named",
  mayRead: [header("x-who")],
  writes: [Who],
  run(input, bus) {
    const who = bus.find(header("x-who"));
    if (who === undefined)
      return fault(new ProblemDetail({ status: 401, code: "UNNAMED", title: "Say a name" }));
    bus.set(Who, who);
    return pass(input);
  },
});

/** Steps that ran, in order. */
const ran: string[] = [];
const priced = Axon.start("order", Order)
  .thenFn(
    "price",
    (order, bus) => {
      ran.push("price");
      bus.set(Total, order.price * 2);
      return { id: order.id };
    },
    { writes: [Total] },
  )
  .thenFn(
    "ship",
    ({ id }, bus) => {
      ran.push("ship");
      return { shipped: id, total: bus.get(Total), by: bus.find(Who) ?? null };
    },
    { reads: [Total], mayRead: [Who] },
  );

interface Served {
  readonly axon?: AnyAxon;
  readonly options?: InspectorOptions;
  readonly isGuarded?: boolean;
  readonly production?: boolean;
  /** Of the run's id: a header of the request. */
  readonly namesRun?: boolean;
}

/** An application with an Inspector, and one run of it. */
async function served({
  axon = priced,
  options = {},
  isGuarded = false,
  production,
  namesRun = false,
}: Served = {}) {
  const sink = new MemoryAuditSink();
  const bare = Framework.http();
  const ingress = (
    namesRun
      ? bare.provide(RunId, (bus) => bus.get(header("x-who")) ?? "", { reads: [header("x-who")] })
      : bare
  )
    .audit(sink)
    .post("/orders", axon as typeof priced, { input: json(Order), guards: isGuarded ? [named] : [] })
    .inspector({
      ...{ enabled: true, auth: BearerAuth.tokens({ operator: OPERATOR, viewer: VIEWER }) },
      capturePayloads: "full",
      ...options,
    });
  if (production === true) ingress.plan = { ...ingress.plan, production };
  const app = new TestApp(ingress, {});
  await app.start();
  const seen = inspectorOf(ingress).app;
  const asked = async (method: "GET" | "POST", path: string, body?: unknown, token = OPERATOR) => {
    const headers = { host: "localhost", authorization: `Bearer ${token}` };
    const sent = body === undefined ? { headers } : { headers, json: body };
    const { status, text } =
      method === "GET" ? await seen.get(`/api/v1/${path}`, sent) : await seen.post(`/api/v1/${path}`, sent);
    return { status, ...JSON.parse(text) };
  };
  await app.post("/orders", { json: { id: "7", price: 4 }, headers: { "x-who": "alice" } });
  const { traces } = (await asked("GET", "traces")).data;
  const runId: string = traces[0].run_id;
  ran.length = 0;
  const again = (node: string, more: object = {}) =>
    asked("POST", `traces/${runId}/rerun`, { node, path: "/orders", ...more });
  const reasons = async (): Promise<Record<string, string | null>> => {
    const { nodes } = (await asked("GET", `traces/${runId}/rerun`)).data;
    return Object.fromEntries(
      nodes.map(({ node, reason }: { node: string; reason: string }) => [node, reason]),
    );
  };
  const close = async (): Promise<void> => {
    await app.close();
    await seen.close();
  };
  return { app, sink, asked, runId, again, reasons, [Symbol.asyncDispose]: close };
}

describe("a run that is run again from a step", () => {
  test("begins there with the values of the first run, and steps before it do not run", async () => {
    await using server = await served();

    const { status, data } = await server.again("order/ship");

    assert.equal(status, 200);
    assert.deepEqual([data.status, data.body], [200, { shipped: "7", total: 8, by: null }]);
    assert.deepEqual(ran, ["ship"]);
    const { run } = (await server.asked("GET", `traces/${data.run_id}`)).data;
    assert.deepEqual(run.goes_on, { kind: "rerun", id: server.runId });
  });

  test("takes an edited input, and is in the audit log with both runs and no text of the input", async () => {
    await using server = await served();

    const { data } = await server.again("order/ship", { input: { id: "edited" } });

    assert.deepEqual(data.body, { shipped: "edited", total: 8, by: null });
    const { events } = (await server.asked("GET", "audit/events?action=inspector.rerun")).data;
    assert.equal(events.length, 1);
    assert.equal(events[0].event.target, server.runId);
    const { run_id, node_id, status, sha256 } = events[0].event.metadata;
    assert.deepEqual([run_id, node_id, status], [data.run_id, "order/ship", 200]);
    assert.match(String(sha256), /^[0-9a-f]{64}$/);
  });

  // N1: the guards of the route decide by what this request brings.
  test("is decided about by the guards of its route, by its own credentials alone", async () => {
    await using server = await served({ isGuarded: true });

    const without = await server.again("order/ship");
    const with_ = await server.again("order/ship", { headers: { "X-Who": "bob" } });

    assert.deepEqual([without.data.status, without.data.body.code], [401, "UNNAMED"]);
    assert.deepEqual([with_.data.status, with_.data.body.by], [200, "bob"]);
    assert.deepEqual(ran, ["ship"]);
  });

  test("is checked against the schema of the input where it begins with the input", async () => {
    await using server = await served();

    const wrong = await server.again("order/price", { input: { id: 1 } });
    const right = await server.again("order/price", { input: { id: "8", price: 1 } });

    assert.equal(wrong.data.status, 422);
    assert.deepEqual(right.data.body, { shipped: "8", total: 2, by: null });
  });

  test("passes the layers of its ingress", async () => {
    const around: string[] = [];
    const sink = new MemoryAuditSink();
    const ingress = Framework.http()
      .audit(sink)
      .layer({
        name: "around",
        run: (_, next) => {
          around.push("layer");
          return next();
        },
      })
      .post("/orders", priced, { input: json(Order) })
      .inspector({ enabled: true, auth: BearerAuth.tokens({ operator: OPERATOR }), capturePayloads: "full" });
    await using app = new TestApp(ingress, {});
    await app.start();
    await using seen = inspectorOf(ingress).app;
    const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
    await app.post("/orders", { json: { id: "7", price: 4 } });
    const { traces } = JSON.parse((await seen.get("/api/v1/traces", { headers })).text).data;

    const { text } = await seen.post(`/api/v1/traces/${traces[0].run_id}/rerun`, {
      headers,
      json: { node: "order/ship", path: "/orders" },
    });

    assert.equal(JSON.parse(text).data.status, 200);
    assert.deepEqual(around, ["layer", "layer"]);
  });

  // N2: an id that the request provides is the first run's.
  test("of an Axon that keeps its runs has an id of its own", async () => {
    const store = new MemoryRuns();
    const ids: string[] = [];
    const kept = Axon.start("order", Order)
      .withPersistenceStore(store)
      .thenFn("a", ({ id }) => ({ id }))
      .thenFn(
        "b",
        ({ id }, bus) => {
          ids.push(bus.get(RunId));
          return { shipped: id };
        },
        { reads: [RunId] },
      );
    await using server = await served({ axon: kept, namesRun: true });

    const { data } = await server.again("order/b", { headers: { "x-who": "alice" } });

    assert.deepEqual(data.body, { shipped: "7" });
    assert.equal(ids[0], "alice");
    assert.equal(new Set(ids).size, 2);
  });
});

test("a run that is run again holds the lock of its Axon, and gives it back", async () => {
  const locks = new MemoryLocks();
  const tokens: number[] = [];
  const single = Axon.start("order", Order)
    .withExecutionMode(ExecutionMode.singleton("orders", 30_000, locks))
    .thenFn("a", ({ id }) => ({ id }))
    .thenFn(
      "b",
      ({ id }, bus) => {
        tokens.push(bus.get(FencingToken));
        return { shipped: id };
      },
      { reads: [FencingToken] },
    );
  await using server = await served({ axon: single });

  for (let n = 0; n < 2; n += 1)
    assert.deepEqual((await server.again("order/b")).data.body, { shipped: "7" });

  assert.equal(new Set(tokens).size, 3);
});

describe("a step from which no run can begin", () => {
  const Card = busKey<{ number: string }>()("Card");
  const Handle = busKey<Map<string, string>>()("Handle");
  const later = guard({ name: "later", run: (input) => pass(input) });

  test("says why: guards, steps behind guards of the line, steps inside steps", async () => {
    const axon = Axon.start("order", Order)
      .thenFn("first", ({ id }) => id)
      .then(later)
      .thenFn("behind", (id) => ({ shipped: id }))
      .parallel(
        [transition({ name: "one", run: () => 1 }), transition({ name: "two", run: () => 2 })],
        "AllMustSucceed",
        (both) => both,
        { name: "both" },
      );
    await using server = await served({ axon: axon as AnyAxon, isGuarded: true });

    const reasons = await server.reasons();

    assert.equal(reasons["order/first"], null);
    assert.equal(reasons["order/later"], null);
    assert.match(String(reasons["order/behind"]), /'later' stands before it/);
    assert.match(String(reasons["order:guard/named"]), /no node of the line/);
    assert.match(String(reasons["order/both/one"]), /inside another step/);
  });

  test("says that a step before it has found out who the first caller was", async () => {
    const axon = Axon.start("order", Order)
      .thenFn(
        "login",
        ({ id }, bus) => {
          bus.set(VerifiedIdentity, "alice");
          return id;
        },
        { writes: [VerifiedIdentity] },
      )
      .thenFn("ship", (id, bus) => `${id} of ${bus.get(VerifiedIdentity)}`, { reads: [VerifiedIdentity] });
    await using server = await served({ axon: axon as AnyAxon });

    const reasons = await server.reasons();

    assert.match(String(reasons["order/ship"]), /'order\/login' has found out who the first caller was/);
    assert.equal(reasons["order/login"], null);
  });

  test("says which value is masked, or no plain data", async () => {
    const axon = Axon.start("order", Order)
      .thenFn(
        "open",
        ({ id }, bus) => {
          bus.set(Card, { number: "4111" });
          bus.set(Handle, new Map());
          return id;
        },
        { writes: [Card, Handle] },
      )
      .thenFn("pay", (id, bus) => `${id} ${bus.get(Card).number}`, { reads: [Card] })
      .thenFn("hold", (id, bus) => `${id} ${bus.get(Handle).size}`, { reads: [Handle] })
      .thenFn("free", (id) => id);
    await using server = await served({ axon: axon as AnyAxon });

    const reasons = await server.reasons();

    assert.match(String(reasons["order/pay"]), /'Card' is masked, cut or no plain data/);
    assert.match(String(reasons["order/hold"]), /'Handle' is masked, cut or no plain data/);
    assert.equal(reasons["order/free"], null);
  });
});

test("running again is the operators', and off in production unless it is allowed", async () => {
  await using server = await served();
  const viewed = await server.asked("GET", `traces/${server.runId}/rerun`, undefined, VIEWER);
  const acted = await server.asked(
    "POST",
    `traces/${server.runId}/rerun`,
    { node: "order/ship", path: "/orders" },
    VIEWER,
  );
  assert.deepEqual([viewed.status, acted.status], [403, 403]);
  assert.deepEqual((await server.again("order/none")).code, "RERUN_REFUSED");
  for (const masked of [{ path: "/orders/[redacted]" }, { input: { id: "[redacted]" } }])
    assert.equal((await server.again("order/ship", masked)).code, "RERUN_REFUSED");

  await using inProduction = await served({ production: true });
  assert.match((await inProduction.again("order/ship")).detail, /off in production/);
  await using allowed = await served({ production: true, options: { rerun: true } });
  assert.equal((await allowed.again("order/ship")).data.status, 200);
  await using hashed = await served({ options: { capturePayloads: "hash" } });
  assert.equal((await hashed.again("order/ship")).code, "CAPABILITY_PLANNED");
});
