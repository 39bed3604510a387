import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Type } from "@sinclair/typebox";
import {
  Axon,
  Framework,
  guard,
  header,
  IamIdentity,
  openStores,
  Stores,
  signal,
  VerifiedIdentity,
} from "framework";
import { MemoryAuditSink } from "framework/audit";
import { TestApp } from "framework/http";
import type { AllowSignal } from "#http/serving/run-signal.js";
import { until } from "../../support/patience.js";

const Approved = signal<{ amount: number }>()(
  "approved",
  Type.Object({ amount: Type.Integer({ minimum: 1 }) }),
);

/** Believes what the caller says of itself: `name:role`. */
const known = guard({
  name: "known",
  reads: [header("x-user")],
  writes: [VerifiedIdentity, IamIdentity],
  run: (input: unknown, bus) => {
    const [subject = "", role = ""] = bus.get(header("x-user")).split(":");
    bus.set(VerifiedIdentity, subject);
    bus.set(IamIdentity, { subject, roles: [role], claims: {} });
    return input as never;
  },
});

const claims = (audit = new MemoryAuditSink()) =>
  Axon.start("claims", Type.Object({ amount: Type.Integer() }))
    .withPersistenceStore(Stores.mounted)
    .withAuditSink(audit)
    .waitFor(Approved, { take: ({ amount: asked }, { amount }) => ({ asked, amount }) });

const managers: AllowSignal = (identity, run) =>
  identity?.roles.includes("manager") === true && !run.isOwn && run.axon === "claims";

const ingress = (allow: AllowSignal | undefined, axon = claims()) =>
  Framework.http({ reporter: () => {} })
    .guard(known)
    .stores(openStores("memory:"))
    .post("/claims", axon)
    .runStatus("/claims/:run_id")
    .runSignal("/claims/:run_id/approval", Approved, allow === undefined ? {} : { allow });

const as = (user: string, more: Record<string, string> = {}) => ({
  headers: { "x-user": user, ...more },
});

async function submitted(app: TestApp<never>, user: string): Promise<string> {
  const begun = await app.post("/claims", { json: { amount: 9 }, ...as(user) });
  const { run_id: id, state } = begun.json as { run_id: string; state: string };
  assert.deepEqual([begun.status, state, begun.headers["location"]], [202, "waiting", `/claims/${id}`]);
  return id;
}

const stateOf = async (app: TestApp<never>, id: string) =>
  (await app.get(`/claims/${id}`, as("eve:staff"))).json as { state: string; for?: string[] };

describe("a route of signals", () => {
  test("ends the wait of a run whose request was answered with its location", async () => {
    const audit = new MemoryAuditSink();
    await using app = new TestApp(ingress(managers, claims(audit)));
    const id = await submitted(app, "eve:staff");
    assert.deepEqual(await stateOf(app, id), { run_id: id, state: "waiting", for: ["approved"] });
    const sent = await app.post(`/claims/${id}/approval`, {
      ...{ json: { amount: 7 } },
      ...as("bob:manager", { "idempotency-key": "one" }),
    });
    assert.deepEqual([sent.status, sent.json], [202, { run_id: id, signal_id: "one" }]);
    await until("it has ended", async () => (await stateOf(app, id)).state === "completed");

    assert.deepEqual(await stateOf(app, id), {
      ...{ run_id: id, state: "completed", output: { asked: 9, amount: 7 } },
    });
    const events = await audit.query({});
    assert.deepEqual(
      events.map((row) => ("event" in row ? [row.event.action, row.event.actor, row.event.target] : [])),
      [["run.signal", "bob", id]],
    );
  });

  test("answers who began the run, who has not the role and for an unknown run with the same 404", async () => {
    await using app = new TestApp(ingress(managers));
    const id = await submitted(app, "eve:manager");
    const post = (run: string, user: string) =>
      app.post(`/claims/${run}/approval`, { json: { amount: 7 }, ...as(user) });
    const answers = [
      await post(id, "eve:manager"),
      await post(id, "bob:staff"),
      await post("unknown", "bob:manager"),
    ];

    const shown = answers.map(({ status, json }) => [status, (json as { code: string }).code]);
    // RS1: and nothing is kept.
    assert.deepEqual(shown, Array(3).fill([404, "RUN_UNKNOWN"]));
    assert.equal((await stateOf(app, id)).state, "waiting");
  });

  test("refuses a payload against the schema, another one under a known key, and one for an ended run", async () => {
    await using app = new TestApp(ingress(managers));
    const id = await submitted(app, "eve:staff");
    const post = async (json: unknown, key: string) => {
      const { status, json: problem } = await app.post(`/claims/${id}/approval`, {
        ...{ json },
        ...as("bob:manager", { "idempotency-key": key }),
      });
      return [status, (problem as { code?: string }).code];
    };
    assert.deepEqual(await post({ amount: 0 }, "a"), [422, "INPUT_INVALID"]);
    assert.deepEqual(await post({ amount: 1 }, "a"), [202, undefined]);
    assert.deepEqual(await post({ amount: 1 }, "a"), [202, undefined]);
    assert.deepEqual(await post({ amount: 2 }, "a"), [422, "SIGNAL_CONFLICT"]);
    await until("it has ended", async () => (await stateOf(app, id)).state === "completed");

    assert.deepEqual(await post({ amount: 2 }, "b"), [409, "RUN_ENDED"]);
  });

  test("is not mounted without `allow` where callers are verified, nor runs that wait without a status route", async () => {
    // RS2: not even by mistake.
    await assert.rejects(async () => new TestApp(ingress(undefined)).get("/"), {
      ...{ code: "ROUTE_INVALID", message: /runSignal\('\/claims\/:run_id\/approval'\).*give \{ allow:/ },
    });
    const unfindable = Framework.http().stores(openStores("memory:")).post("/claims", claims());
    await assert.rejects(async () => new TestApp(unfindable).get("/"), {
      ...{ code: "ROUTE_INVALID", message: /add runStatus\("\/runs\/:run_id"\)/ },
    });
  });
});
