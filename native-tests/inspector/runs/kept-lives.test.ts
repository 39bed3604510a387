import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Bus, busKey, signal, Type } from "framework";
import { MemoryAuditSink } from "framework/audit";
import { KeptRuns } from "#inspector/runs/kept-runs.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { PayloadCapture } from "#inspector/traces/payload-capture.js";
import { hosts } from "../../support/hosts.js";
import { asOperator, asViewer, inspected } from "../../support/inspected.js";

const Go = signal<null>()("go", Type.Null());
const Mailer = busKey<{ sent(n: number): number }>()("Mailer");

interface Answer {
  readonly code?: string;
  readonly detail?: string;
  readonly data?: { readonly run_id: string; readonly circuit: string; readonly result: string };
  readonly errors?: readonly { readonly pointer: string }[];
}

/** A server with two circuits that keep their runs, and an Inspector of it. */
async function kept() {
  const { runs: store, served } = hosts();
  const sink = new MemoryAuditSink();
  const orders = Axon.start("orders", Type.Object({ amount: Type.Number() }))
    .withAuditSink(sink)
    .withPersistenceStore(store)
    .waitFor(Go)
    .thenFn("pay", (n) => n);
  const mails = Axon.start<number>("mails")
    .withPersistenceStore(store)
    .thenFn("send", (n, bus) => bus.get(Mailer).sent(n), { reads: [Mailer] });
  const { host: owner, handle } = await served([orders, mails as never]);
  const runs = new KeptRuns({
    ...{ axons: [orders.definition, mails.definition], resources: Bus.of([]) as never, owner },
    ...{ reporter: () => {}, nodes: new DrawnNodes(() => []), capture: new PayloadCapture("full") },
  });
  const { app } = inspected({ runs });
  const post = async (path: string, json: unknown, as = asOperator) => {
    const { status, json: answer } = await app.post(`/api/v1/runs${path}`, { ...as, json });
    return { status, ...(answer as Answer) };
  };
  const events = async () =>
    (await sink.query()).map((row) => "event" in row && [row.event.action, row.event.target]);
  return { store, handle, post, events };
}

describe("an operator", () => {
  test("begins a run of a circuit once, under an id of their own or a new one", async () => {
    const { handle, post, events } = await kept();
    const request = { circuit: "orders", input: { amount: 3 } };

    const begun = await post("", { ...request, run_id: "o-1" });
    assert.deepEqual(
      [begun.status, begun.data],
      [200, { run_id: "o-1", circuit: "orders", result: "begun" }],
    );
    assert.equal((await post("", { ...request, run_id: "o-1" })).data?.result, "known");
    assert.deepEqual((await handle.begun("o-1"))?.input, { amount: 3 });
    const { data } = await post("", request);
    assert.equal((await handle.result(data?.run_id ?? "")).kind, "waiting");
    assert.deepEqual(await events(), [
      ["run.start", "o-1"],
      ["run.start", data?.run_id],
    ]);
  });

  test("begins none with what does not fit, without an input of it in the answer", async () => {
    const { post, store } = await kept();
    const request = { circuit: "orders", input: { amount: "hunter2" } };
    const of = async (json: unknown, as?: typeof asViewer) => {
      const { status, code, errors, detail } = await post("", json, as);
      return [status, code, errors?.[0]?.pointer ?? detail];
    };

    assert.deepEqual(await of(request), [422, "KEPT_START_INVALID", "/input/amount"]);
    assert.doesNotMatch(JSON.stringify(await post("", request)), /hunter2/);
    const fitting = { circuit: "orders", input: { amount: 1 } };
    assert.deepEqual(await of({ ...fitting, run_id: "key-1" }), [422, "KEPT_START_INVALID", "/run_id"]);
    assert.deepEqual(await of({ ...fitting, circuit: "none" }), [
      ...[404, "CIRCUIT_UNKNOWN", "No mounted Axon 'none' keeps its runs"],
    ]);
    const [status, code, why] = await of({ circuit: "mails", input: 1 });
    assert.deepEqual([status, code], [409, "KEPT_RUN_REFUSED"]);
    assert.match(String(why), /Mailer/);
    assert.deepEqual((await of(fitting, asViewer))[0], 403);
    assert.deepEqual(store.unfinished(), []);
  });

  test("forgets a run that has ended, and no other", async () => {
    const { handle, post, events } = await kept();
    await handle.start("orders", { amount: 1 }, { runId: "o-1" });
    const refused = await post("/o-1/forget", {});
    assert.deepEqual([refused.status, refused.code], [409, "KEPT_RUN_REFUSED"]);
    await handle.cancel("o-1", "ordered twice");
    assert.equal((await post("/o-1/forget", {}, asViewer)).status, 403);

    const { status, data } = await post("/o-1/forget", {});
    assert.deepEqual([status, data?.circuit, data?.result], [200, "orders", "forgotten"]);
    assert.equal((await post("/o-1/forget", {})).code, "KEPT_RUN_UNKNOWN");
    assert.deepEqual(await handle.result("o-1"), { kind: "unknown" });
    assert.deepEqual((await events()).at(-1), ["run.forget", "o-1"]);
  });
});
