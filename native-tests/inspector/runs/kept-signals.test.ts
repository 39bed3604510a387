import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Bus, isFault, RunId, Sensitive, signal, Type } from "framework";
import { MemoryAuditSink } from "framework/audit";
import type { AuditEntry } from "#core/ports/audit-event.js";
import { KeptRuns } from "#inspector/runs/kept-runs.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { PayloadCapture } from "#inspector/traces/payload-capture.js";
import { hosts } from "../../support/hosts.js";
import { asOperator, asViewer, inspected } from "../../support/inspected.js";
import { until } from "../../support/patience.js";

interface Approval {
  readonly by: string;
  readonly pin: string;
}
const Schema = Type.Object({ by: Type.String(), pin: Sensitive(Type.String()) });
const Approved = signal<Approval>()("approved", Schema);
const Rejected = signal<string>()("rejected", Type.String());
const HOUR_MS = 3_600_000;

/** An Axon that waits for an approval for at most an hour, then sleeps; its host, and an Inspector of it. */
function claims(timeoutMs: number | undefined = HOUR_MS) {
  const { clock, runs: store, host } = hosts();
  const entries: AuditEntry[] = [];
  const sink = new MemoryAuditSink();
  const { append } = sink;
  const noting = (entry: AuditEntry) => {
    entries.push(entry);
    return append(entry);
  };
  const axon = Axon.start<number>("claims")
    .waitForAny([Approved, Rejected], { name: "decide", ...(timeoutMs && { timeoutMs }) })
    .sleep("rest", HOUR_MS)
    .withAuditSink(Object.assign(sink, { append: noting }))
    .withPersistenceStore(store);
  const owner = host([axon]);
  const runs = new KeptRuns({
    ...{ axons: [axon.definition], resources: Bus.of([]) as never, owner, clock, reporter: () => {} },
    ...{ nodes: new DrawnNodes(() => []), capture: new PayloadCapture("full") },
  });
  const { app } = inspected({ runs });
  const begin = async (id: string) => void (await axon.execute(1, Bus.of([[RunId, id]]) as never));
  const send = (json: unknown, as = asOperator) => app.post("/api/v1/runs/run-1/signal", { ...as, json });
  const wake = (as = asOperator) => app.post("/api/v1/runs/run-1/wake", as);
  const resume = () => app.post("/api/v1/runs/run-1/resume", { ...asOperator, json: { force: true } });
  const shown = async (isOperator = true) => {
    const run = await runs.show("run-1", isOperator);
    assert.ok(!isFault(run));
    return run;
  };
  return { clock, store, axon, owner, runs, entries, begin, send, wake, resume, shown };
}

const APPROVAL = { name: "approved", payload: { by: "Ada", pin: "1234" } };

type Problem = { readonly code: string; readonly errors?: readonly { readonly pointer: string }[] };

describe("a run that waits", () => {
  test("tells for what, since when and until when, and its sleep after it", async () => {
    const { begin, shown, runs } = claims();
    await begin("run-1");

    const run = await shown();
    assert.deepEqual([run.state, run.wait?.signals, run.owner], ["waiting", ["approved", "rejected"], null]);
    assert.deepEqual(run.entries.at(-1)?.kind, "waiting");
    assert.deepEqual(run.entries.at(-1)?.wait?.signals, ["approved", "rejected"]);
    const [row] = await runs.unfinished({ state: "waiting" });
    assert.deepEqual([row?.run_id, row?.wait], ["run-1", run.wait]);
    assert.deepEqual(await runs.unfinished({ state: "sleeping" }), []);
  });

  test("takes a signal of an operator, whose payload is masked by its schema and whose sender viewers do not see", async () => {
    const { clock, owner, begin, send, shown, entries } = claims();
    await begin("run-1");
    const sent = await send(APPROVAL);
    const { data } = sent.json as { readonly data: Record<string, string> };
    assert.deepEqual(
      [sent.status, data["result"], data["signal"], data["circuit"]],
      [200, "woken", "approved", "claims"],
    );
    assert.deepEqual(
      entries.map(({ action, target, metadata }) => [action, target, metadata]),
      [["run.signal", "run-1", { axon: "claims", signal: "approved", signal_id: data["signal_id"] }]],
    );
    await owner.begin();
    await until("it sleeps", async () => {
      await clock.advance(500);
      return (await shown()).state === "sleeping";
    });

    const { entries: told } = await shown();
    const [woken] = told.flatMap((entry) => entry.woken ?? []);
    assert.deepEqual(woken, {
      ...{ by: "signal", signal: "approved", id: data["signal_id"] },
      actor: woken?.actor,
      payload: { kind: "full", value: { by: "Ada", pin: "[redacted]" }, is_cut: false },
    });
    assert.match(String(woken?.actor), /^operator:/);
    assert.deepEqual(
      told.flatMap(({ epoch }) => epoch ?? []),
      [1, 2],
    );
    const [seen] = (await shown(false)).entries.flatMap((entry) => entry.woken ?? []);
    assert.equal(seen?.actor, null);
    await owner.leave();
  });

  test("keeps a signal of an id once, and takes none that does not fit", async () => {
    const { begin, send } = claims();
    await begin("run-1");
    const answerOf = async (json: unknown) => {
      const { status, json: answer } = await send(json);
      const { code, errors } = answer as Problem;
      return [status, code, errors?.[0]?.pointer];
    };

    assert.deepEqual(await answerOf({ ...APPROVAL, payload: { by: 1, pin: "1" } }), [
      ...[422, "KEPT_SIGNAL_INVALID", "/payload/by"],
    ]);
    assert.deepEqual(await answerOf({ name: "approve", payload: 1 }), [422, "KEPT_SIGNAL_INVALID", "/name"]);
    assert.equal((await send({ ...APPROVAL, id: "one" })).status, 200);
    const again = (await send({ ...APPROVAL, id: "one" })).json as {
      readonly data: { readonly result: string };
    };
    assert.equal(again.data.result, "known");
    assert.deepEqual(await answerOf({ name: "rejected", payload: "no", id: "one" }), [
      ...[422, "KEPT_SIGNAL_INVALID", "/id"],
    ]);
    assert.equal((await send(APPROVAL, asViewer)).status, 403);
  });

  test("is woken from a sleep, and not where it waits for no time", async () => {
    const { store, begin, wake, entries } = claims();
    await begin("run-1");
    const woken = await wake();
    assert.deepEqual(
      [woken.status, (woken.json as { readonly data: { readonly result: string } }).data.result],
      [200, "woken"],
    );
    assert.deepEqual(
      entries.map(({ action }) => action),
      ["run.wake"],
    );
    assert.ok(Number(store.ownership("run-1")?.wait?.due) <= Date.now());

    const endless = claims(0);
    await endless.begin("run-1");
    const refused = await endless.wake();
    assert.deepEqual([refused.status, (refused.json as Problem).code], [409, "KEPT_RUN_REFUSED"]);
    assert.match(refused.text, /send the signal, or cancel/);
    assert.deepEqual(endless.entries, []);
    const resumed = await endless.resume();
    assert.deepEqual([resumed.status, (resumed.json as Problem).code], [409, "KEPT_RUN_REFUSED"]);
  });

  test("takes neither once it is stuck or has ended, and an unknown one is not found", async () => {
    const { store, begin, send, wake } = claims();
    assert.equal((await send(APPROVAL)).status, 404);
    await begin("run-1");
    store.append("run-1", store.read("run-1").length, [{ kind: "stuck", at: 9 }]);
    const stuck = await send(APPROVAL);
    assert.deepEqual([stuck.status, (stuck.json as Problem).code], [409, "KEPT_RUN_REFUSED"]);
    assert.match(stuck.text, /resume it first/);
    assert.equal((await wake()).status, 409);
  });
});
