// What operators do, in the audit log.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  BearerAuth,
  Bus,
  Framework,
  fault,
  MemoryDeadLetters,
  MemoryRuns,
  RunId,
  Type,
} from "framework";
import { type AuditEvent, type AuditSink, MemoryAuditSink } from "framework/audit";
import { TestApp } from "framework/http";
import { type InspectorOptions, inspectorOf } from "framework/inspector";
import { never } from "../../support/kept-runs.js";
import { keepLog } from "../../support/logged-ingress.js";
import { until } from "../../support/patience.js";

const OPERATOR = "operator-token-0123456789";
/** The beginning of its SHA-256. */
const TOKEN_ID = "e4ba15bc7411";

const Order = Type.Object({ total: Type.Integer() });

/** A service whose Inspector records in this sink. */
async function inspected(sink: AuditSink | undefined, options: InspectorOptions = {}) {
  const world = { fails: true, hangs: true };
  const letters = new MemoryDeadLetters();
  const runs = new MemoryRuns();
  const pay = Axon.start("pay", Order)
    .withDlqSink(letters)
    .thenFn("charge", (order) => (world.fails && order.total === 13 ? fault("no") : order));
  const ship = Axon.start("ship", Order)
    .withPersistenceStore(runs)
    .thenFn("pack", (order) => (world.hangs ? never() : order) as typeof order);
  const ingress = Framework.http()
    .post("/pay", pay)
    .post("/ship", ship)
    .inspector({ enabled: true, auth: BearerAuth.tokens({ operator: OPERATOR }), ...options });
  if (sink !== undefined) ingress.audit(sink);
  const log = keepLog(ingress);
  const app = new TestApp(ingress);
  await app.start();
  const { app: inspector } = inspectorOf(ingress);
  const ask = async (method: "GET" | "POST" | "DELETE", path: string, json?: unknown) => {
    const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
    const answer = await inspector.send(method, `/api/v1${path}`, {
      headers,
      ...(json !== undefined && { json }),
    });
    const body = answer.text === "" ? {} : (answer.json as any);
    return { status: answer.status, data: body.data, code: body.code };
  };
  const close = async () => {
    await app.close();
    await inspector.close();
  };
  return { app, ask, close, log, world, letters, runs, ship };
}

const eventsIn = async (sink: AuditSink): Promise<readonly AuditEvent[]> =>
  (await sink.query()).map((row) => ("event" in row ? row.event : assert.fail("unreadable")));

const actionsIn = async (sink: AuditSink) => (await eventsIn(sink)).map(({ action }) => action);

describe("what operators do", () => {
  test("is recorded with role, token, node and run: breakpoints, their hits, edits and releases", async () => {
    const sink = new MemoryAuditSink();
    const { app, ask, close } = await inspected(sink);
    const { data: breakpoint } = await ask("POST", "/breakpoints", { node_id: "pay/charge", max_hits: 9 });
    const held = async () => {
      const [one] = (await ask("GET", "/paused")).data.paused;
      return one;
    };
    for (const how of ["resume", "abort"]) {
      const answer = app.post("/pay", { json: { total: 1 } });
      await until("the run is held", async () => (await held()) !== undefined);
      const { id } = await held();
      await ask("POST", `/paused/${id}/${how}`, how === "resume" ? { input: { total: 2 } } : {});
      await answer;
    }
    await ask("DELETE", `/breakpoints/${breakpoint.id}`);

    assert.deepEqual(await actionsIn(sink), [
      "inspector.breakpoint.set",
      "inspector.breakpoint.hit",
      "inspector.run.resume",
      "inspector.payload.edit",
      "inspector.breakpoint.hit",
      "inspector.run.abort",
      "inspector.breakpoint.delete",
    ]);
    const [set, hit, resumed, edited] = await eventsIn(sink);
    assert.equal(set?.actor, `operator:${TOKEN_ID}`);
    assert.equal(hit?.actor, `breakpoint:${breakpoint.id}`);
    // Events of a run have its id as target, events of a breakpoint its node.
    const events = await eventsIn(sink);
    const firstRun = hit?.metadata["run_id"];
    const secondRun = events[4]?.metadata["run_id"];
    assert.notEqual(firstRun, secondRun);
    assert.deepEqual(
      events.map(({ target }) => target),
      ["pay/charge", firstRun, firstRun, firstRun, secondRun, secondRun, "pay/charge"],
    );
    for (const event of [hit, resumed, edited]) {
      assert.equal(event?.metadata["node_id"], "pay/charge");
      assert.equal(event?.metadata["run_id"], hit?.metadata["run_id"]);
    }
    assert.deepEqual([resumed?.metadata["role"], resumed?.metadata["token"]], ["operator", TOKEN_ID]);
    assert.match(String(edited?.metadata["sha256"]), /^[0-9a-f]{64}$/);
    assert.ok(!JSON.stringify(await eventsIn(sink)).includes(OPERATOR));
    await close();
  });

  test("is recorded once where the Axon records interventions in the same log", async () => {
    const sink = new MemoryAuditSink();
    const { app, ask, close, letters, runs, ship, world } = await inspected(sink);
    await app.post("/pay", { json: { total: 13 } });
    const [letter] = letters.list();
    world.fails = false;
    await ask("POST", `/dlq/${letter?.id}/redrive`);
    world.fails = true;
    await app.post("/pay", { json: { total: 13 } });
    await ask("DELETE", `/dlq/${letters.list()[0]?.id}`);
    for (const id of ["r1", "r2"]) void ship.execute({ total: 1 }, Bus.of([[RunId, id]]));
    await until("the runs have begun", () => runs.unfinished().length === 2);
    const { data: cancelled } = await ask("POST", "/runs/r2/cancel", {
      reason: "it was a mistake",
      force: true,
    });
    world.hangs = false;
    const { data: resumed } = await ask("POST", "/runs/r1/resume", { force: true });
    await ask("POST", "/relay", { method: "POST", path: "/pay?key=secret", body: { total: 1 } });

    assert.deepEqual([cancelled.result, resumed.result], ["cancelled", "completed"]);
    assert.deepEqual(await actionsIn(sink), [
      "inspector.letter.redrive",
      "inspector.letter.discard",
      "inspector.run.cancel",
      "inspector.run.resume",
      "inspector.relay",
    ]);
    const [redriven, , cancel, , relay] = await eventsIn(sink);
    assert.deepEqual([redriven?.target, redriven?.metadata["node_id"]], [letter?.id, "pay/charge"]);
    assert.deepEqual(
      [cancel?.target, cancel?.intent, cancel?.metadata["node_id"]],
      ["r2", "it was a mistake", "ship/pack"],
    );
    assert.deepEqual([relay?.target, relay?.metadata["status"]], ["POST /pay", 200]);
    await close();
  });

  test("is recorded in the log of the Axon too, where that is another", async () => {
    const [own, other] = [new MemoryAuditSink(), new MemoryAuditSink()];
    const { ask, close, runs, ship } = await inspected(own, { audit: { sink: other } });
    void ship.execute({ total: 1 }, Bus.of([[RunId, "r"]]));
    await until("the run has begun", () => runs.unfinished().length === 1);
    await ask("POST", "/runs/r/cancel", { reason: "over", force: true });

    const [intervention] = await eventsIn(own);
    assert.deepEqual(
      [intervention?.actor, intervention?.action, intervention?.intent],
      [`operator:${TOKEN_ID}`, "run.cancel", "over"],
    );
    assert.deepEqual(await actionsIn(other), ["inspector.run.cancel"]);
    await close();
  });

  test("is recorded whatever the text of the reason is", async () => {
    const sink = new MemoryAuditSink();
    const { ask, close, runs, ship } = await inspected(sink);
    const reasons = ["a\0b", "\ud800", "x".repeat(1000)];
    for (const [n, reason] of reasons.entries()) {
      void ship.execute({ total: 1 }, Bus.of([[RunId, `r${n}`]]));
      await until("the run has begun", () => runs.unfinished().length === 1);
      assert.equal((await ask("POST", `/runs/r${n}/cancel`, { reason, force: true })).status, 200);
    }

    const events = (await eventsIn(sink)).filter(({ action }) => action === "inspector.run.cancel");
    assert.deepEqual(
      events.map(({ intent }) => intent),
      ["a\\u0000b", "\\ud800", "x".repeat(1000)],
    );
    await close();
  });

  test("is logged at info where there is no audit log, and where that fails", async () => {
    const broken: AuditSink = {
      ...new MemoryAuditSink(),
      rows: () => assert.fail("not asked for"),
      append: async () => Promise.reject(new Error("disk full")),
    };
    for (const sink of [undefined, broken]) {
      const { ask, close, log } = await inspected(sink);

      assert.equal((await ask("POST", "/breakpoints", { node_id: "pay/charge" })).status, 201);

      const line = log.lines().find(({ module, audit }) => module === "inspector" && audit !== undefined);
      assert.equal(line?.["level"], 30);
      assert.equal(line?.["audit"].action, "inspector.breakpoint.set");
      const told = log.lines().some(({ code }) => code === "AUDIT_UNWRITTEN");
      assert.equal(told, sink !== undefined);
      await close();
    }
  });

  test("is not done with onFailure 'refuse' unless it is recorded before", async () => {
    const inner = new MemoryAuditSink();
    const state = { isBroken: true };
    const sink: AuditSink = {
      ...inner,
      rows: (from) => inner.rows(from),
      append: async (entry) => {
        if (state.isBroken) throw new Error("disk full");
        return inner.append(entry);
      },
    };
    const { ask, close } = await inspected(sink, { audit: { onFailure: "refuse" } });

    const refused = await ask("POST", "/breakpoints", { node_id: "pay/charge" });
    assert.deepEqual([refused.status, refused.code], [503, "ACTION_UNRECORDED"]);
    assert.deepEqual((await ask("GET", "/breakpoints")).data.breakpoints, []);
    state.isBroken = false;
    assert.equal((await ask("POST", "/breakpoints", { node_id: "pay/charge" })).status, 201);
    assert.deepEqual(await actionsIn(inner), ["inspector.breakpoint.set.asked", "inspector.breakpoint.set"]);
    await close();
  });

  test("names the owner of a token where the program knows one", async () => {
    const sink = new MemoryAuditSink();
    const auth = BearerAuth.verify(() => ({ role: "operator", id: "eve@example.test" }));
    const { ask, close } = await inspected(sink, { auth });
    await ask("POST", "/breakpoints", { node_id: "pay/charge" });

    assert.equal((await eventsIn(sink))[0]?.actor, "operator:eve@example.test");
    await close();
  });
});

describe("GET /api/v1/audit/verify", () => {
  test("tells whether the chain is whole, and where it is not", async () => {
    const sink = new MemoryAuditSink();
    for (const target of ["a", "b", "c"]) await sink.append({ actor: "eve", action: "open", target });
    const forged: AuditSink = {
      ...sink,
      async *rows(from) {
        for await (const row of sink.rows(from))
          yield "event" in row && row.position === 2 ? { ...row, event: { ...row.event, target: "x" } } : row;
      },
    };
    for (const [log, isSound, positions] of [
      [sink, true, []],
      [forged, false, [2]],
    ] as const) {
      const { ask, close } = await inspected(log);
      const { data } = await ask("GET", "/audit/verify");

      assert.deepEqual([data.log, data.state], ["memory:", "done"]);
      const { is_sound, is_signed, events, failures } = data.result;
      assert.deepEqual([is_sound, is_signed, events], [isSound, false, 3]);
      assert.deepEqual(
        failures.map(({ position }: any) => position),
        positions,
      );
      await close();
    }
  });

  test("is 501 where the server has no audit log", async () => {
    const { ask, close } = await inspected(undefined);

    assert.equal((await ask("GET", "/audit/verify")).status, 501);
    await close();
  });
});
