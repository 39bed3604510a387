import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Bus, busKey, Framework, fault, isFault, MemoryRuns, RunId, Type } from "framework";
import type { UnfinishedRun } from "#core/ports/run-store.js";
import { KeptRuns } from "#inspector/runs/kept-runs.js";
import { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { PayloadCapture } from "#inspector/traces/payload-capture.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { adding, beginning, hosts } from "../../support/hosts.js";
import { asOperator, asViewer, inspected } from "../../support/inspected.js";
import { elsewhere } from "../../support/kept-runs.js";
import { until } from "../../support/patience.js";

const Rates = busKey<{ of(sku: string): number }>()("Rates");
const Packer = busKey<string>()("Packer");
const Order = Type.Object({ sku: Type.String(), password: Type.String() });
const HOUR_MS = 3_600_000;

/** An Axon whose second step waits until it is let go, and what an Inspector knows of its runs. */
function keeping({ afterMs = HOUR_MS, version = "1.0.0", known = "1.0.0", needs = false } = {}) {
  const store = new MemoryRuns();
  const there = elsewhere(store);
  const steps: string[] = [];
  const holds: { isOn: boolean; letGo: () => void } = { isOn: true, letGo: () => {} };
  const axonOf = (of: string, needsMore = false, over = store) =>
    Axon.start("ship", Order)
      .thenFn("price", ({ sku }, bus) => ({ sku, cents: bus.get(Rates).of(sku) }), { reads: [Rates] })
      .thenFn(
        "pack",
        async (priced) => {
          steps.push("pack");
          if (holds.isOn) await new Promise<void>((resolve) => (holds.letGo = resolve));
          return priced.cents < 0 ? fault({ kind: "no-price" as const }) : priced;
        },
        needsMore ? { reads: [Packer] } : {},
      )
      .withVersion(of)
      .withPersistenceStore(over);
  const routes = Framework.http({ resources: [Rates] })
    .post("/ship", axonOf(known) as never)
    .routes();
  const clock = new ManualClock();
  const reports: string[] = [];
  // In another process.
  const axon = axonOf(version, false, there);
  const cents = { of: 250 };
  const resources = Bus.of([[Rates, { of: () => cents.of }]]);
  const runs = new KeptRuns({
    axons: [(axonOf(known, needs) as AnyAxon).definition],
    resources: resources as never,
    nodes: new DrawnNodes(() => routes),
    capture: new PayloadCapture("full"),
    reporter: ({ code }) => void reports.push(code),
    clock,
    wallClock: () => Date.now() + afterMs,
  });
  /** Begins a run, which is stopped in its second step. */
  const begin = async (id: string): Promise<void> => {
    const bus = Bus.of([
      [Rates, { of: () => cents.of }],
      [RunId, id],
    ]);
    void axon.execute({ sku: "pot", password: "hunter2" }, bus as never);
    await until("the run is stopped", () => steps.length > 0);
  };
  return { runs, store, begin, holds, clock, reports, steps, cents };
}

const plain = (runs: readonly UnfinishedRun[]) => runs.map(({ node, ...run }) => run);

const codeOf = (answer: unknown): string =>
  isFault(answer) ? (answer.error as { readonly code: string }).code : "none";

describe("kept runs", () => {
  test("are shown with where they are, what is kept and their log, without what is secret", async () => {
    const { runs, begin } = keeping();
    await begin("run-1");

    const [row, ...others] = await runs.unfinished({});
    assert.deepEqual([row?.run_id, row?.circuit, others.length], ["run-1", "ship", 0]);
    const run = await runs.show("run-1");
    assert.ok(!isFault(run));
    assert.deepEqual(
      [run.state, run.label, run.input, run.entries.map(({ kind }) => kind)],
      [
        "running",
        "pack",
        { kind: "full", value: { sku: "pot", cents: 250 }, is_cut: false },
        ["begun", "checkpoint"],
      ],
    );
    assert.ok(!JSON.stringify(run).includes("hunter2"));
    assert.deepEqual(await runs.unfinished({ circuit: "another" }), []);
    assert.equal(codeOf(await runs.show("run-2")), "KEPT_RUN_UNKNOWN");
  });

  test("are unfit, with the reason, where their process is gone and no code of the server fits them", async () => {
    const { clock, runs: store, host } = hosts();
    const axon = adding(store, []);
    store.append("fits", 0, [beginning("sums")], "dead");
    store.append("left", 0, [beginning("sums", "0.9.0")], "dead");
    store.beat("living", 10 * HOUR_MS);
    store.append("elsewhere", 0, [beginning("sums", "0.9.0")], "living");
    const owner = host([axon]);
    store.append("marked", 0, [beginning("sums")], "dead");
    store.markUnfit("marked", 1, { release: owner.release, reason: "no node 'x'" });
    const runs = new KeptRuns({
      ...{ axons: [axon.definition], resources: Bus.of([]) as never, owner, clock, reporter: () => {} },
      ...{ nodes: new DrawnNodes(() => []), capture: new PayloadCapture("off") },
    });

    const rows = await runs.unfinished({});
    const left = "no migration leads from '0.9.0' to '1.0.0': add one, or cancel them";
    assert.deepEqual(
      rows.map(({ run_id, unfit }) => [run_id, unfit]),
      [
        ["fits", null],
        ["left", left],
        ["elsewhere", null],
        ["marked", "no node 'x'"],
      ],
    );
    const shown = await Promise.all(rows.map(({ run_id }) => runs.show(run_id)));
    assert.deepEqual(
      shown.map((run) => !isFault(run) && [run.state, run.unfit]),
      [
        ["running", null],
        ["unfit", left],
        ["running", null],
        ["unfit", "no node 'x'"],
      ],
    );
  });

  test("go on where they were stopped, with the server's resources", async () => {
    const { runs, begin, holds, steps } = keeping();
    await begin("run-1");
    holds.isOn = false;

    const resumed = await runs.resume("run-1", {});

    assert.deepEqual(resumed, {
      ...{ run_id: "run-1", circuit: "ship", node: "ship/pack" },
      result: "completed",
      outcome: { kind: "full", value: { sku: "pot", cents: 250 }, is_cut: false },
    });
    assert.deepEqual(steps, ["pack", "pack"]);
    const run = await runs.show("run-1");
    assert.equal(!isFault(run) && run.state, "completed");
    assert.equal(codeOf(await runs.resume("run-1", {})), "KEPT_RUN_ENDED");
    assert.deepEqual(await runs.unfinished({}), []);
  });

  test("say why they failed", async () => {
    const { runs, begin, holds, cents } = keeping();
    cents.of = -1;
    await begin("run-1");
    holds.isOn = false;

    const resumed = await runs.resume("run-1", {});

    assert.ok(!isFault(resumed));
    assert.equal(resumed.result, "faulted");
    const run = await runs.show("run-1");
    assert.equal(!isFault(run) && run.state, "failed");
  });

  test("are left to who may be at them, unless that is forced", async () => {
    const { runs, begin, holds } = keeping({ afterMs: 0 });
    await begin("run-1");
    holds.isOn = false;

    const refused = await runs.resume("run-1", {});
    assert.equal(codeOf(refused), "KEPT_RUN_ACTIVE");
    assert.match(JSON.stringify(refused), /"takes_force":true/);
    const forced = await runs.resume("run-1", { force: true });
    assert.equal(!isFault(forced) && forced.result, "completed");
  });

  test("of a living host are its own, unless that is forced, and those of a dead one are not", async () => {
    const { runs, store, begin, holds } = keeping({ afterMs: 0 });
    await begin("run-1");
    holds.isOn = false;
    const [, last] = store.read("run-1");
    store.append("run-1", 2, [{ ...last, completed: [] } as never], "host");
    store.beat("host", 60_000);

    const refused = await runs.resume("run-1", {});
    assert.equal(codeOf(refused), "KEPT_RUN_ACTIVE");
    assert.match(JSON.stringify(refused), /"takes_force":true/);
    store.leave("host");
    const resumed = await runs.resume("run-1", {});
    assert.equal(!isFault(resumed) && resumed.result, "completed");
  });

  test("of a living host are cancelling until it has undone them, and are undone here by force", async () => {
    const { runs, store, begin, clock } = keeping();
    await begin("run-1");
    const [, last] = store.read("run-1");
    store.append("run-1", 2, [{ ...last, completed: [] } as never], "host");
    store.beat("host", 60_000);
    const { app } = inspected({ runs });
    const cancel = (json: object) => app.post("/api/v1/runs/run-1/cancel", { ...asOperator, json });
    const stateOf = async () => {
      const run = await runs.show("run-1");
      return !isFault(run) && run.state;
    };
    const asked = cancel({ reason: "late" });
    await until("it is asked for", async () => store.ownership("run-1")?.cancel !== undefined);
    await clock.advance(5000);

    const { status, json } = await asked;
    assert.deepEqual(
      [status, (json as { readonly data: { readonly result: string } }).data.result, await stateOf()],
      [202, "cancelling", "running"],
    );
    const forced = await cancel({ reason: "late", force: true });
    assert.deepEqual(
      [forced.status, (forced.json as { readonly data: { readonly result: string } }).data.result],
      [200, "cancelled"],
    );
    assert.equal(await stateOf(), "cancelled");
    assert.equal((await cancel({ reason: "late" })).status, 409);
  });

  test("tell where they are, in which state and whose they are, and are listed by state", async () => {
    const { runs, store, begin } = keeping();
    await begin("run-1");
    const [, last] = store.read("run-1");
    const again = { ...last, completed: [] } as never;
    store.append("run-1", 2, [again], "host");
    store.beat("host", 60_000);
    const [row] = await runs.unfinished({});
    assert.deepEqual(
      [row?.state, row?.node, row?.owner, row?.cancel],
      ["running", "ship/pack", { host: "host", is_alive: true }, null],
    );
    store.leave("host");
    const left = await runs.unfinished({ state: "running" });
    assert.deepEqual(left[0]?.owner, { host: "host", is_alive: false });
    assert.deepEqual(await runs.unfinished({ state: "stuck" }), []);
    store.append("run-1", 3, [{ kind: "stuck", at: 9 }], "host");
    const [stuck] = await runs.unfinished({ state: "stuck" });
    assert.deepEqual([stuck?.run_id, stuck?.state], ["run-1", "stuck"]);
    assert.deepEqual(await runs.unfinished({ state: "running" }), []);
  });

  test("of versions that the process does not serve are told with its hosts, by what becomes of them", async () => {
    const { clock, runs: store, host } = hosts();
    const axon = adding(store, []);
    store.append("own", 0, [beginning("sums")], "dead");
    store.append("old", 0, [beginning("sums", "0.9.0")], "dead");
    const owner = host([axon]);
    const runs = new KeptRuns({
      ...{ axons: [axon.definition], resources: Bus.of([]) as never, owner, clock, reporter: () => {} },
      ...{ nodes: new DrawnNodes(() => []), capture: new PayloadCapture("off") },
    });
    assert.deepEqual((await runs.hosts()).draining, []);
    await owner.left.count();

    assert.deepEqual((await runs.hosts()).draining, [
      { circuit: "sums", version: "0.9.0", way: "unfit", runs: 1 },
    ]);
  });

  test("are found by state behind more runs than a list has", async () => {
    const { clock, runs: store } = hosts();
    const axon = adding(store, []);
    for (let n = 0; n < 600; n += 1) store.append(`run-${n}`, 0, [beginning("sums")], "host");
    store.append("run-599", 1, [{ kind: "stuck", at: 9 }], "host");
    const runs = new KeptRuns({
      ...{ axons: [axon.definition], resources: Bus.of([]) as never, clock, reporter: () => {} },
      ...{ nodes: new DrawnNodes(() => []), capture: new PayloadCapture("off") },
    });

    const found = await runs.unfinished({ state: "stuck", limit: 1 });
    assert.deepEqual(
      found.map(({ run_id }) => run_id),
      ["run-599"],
    );
    assert.equal((await runs.unfinished({ state: "running", limit: 550 })).length, 550);
  });

  test("tell operators who cancelled them and why, and viewers why", async () => {
    const { runs, store, begin } = keeping();
    await begin("run-1");
    const [, last] = store.read("run-1");
    store.append("run-1", 2, [{ ...last, completed: [] } as never], "host");
    const { app } = inspected({ runs });
    const json = { reason: "ordered twice" };
    assert.equal((await app.post("/api/v1/runs/run-1/cancel", { ...asOperator, json })).status, 200);

    type Shown = { readonly data: { readonly state: string; readonly cancel: Record<string, unknown> } };
    const shown = async (as: typeof asOperator) =>
      ((await app.get("/api/v1/runs/run-1", as)).json as Shown).data;
    const { state, cancel } = await shown(asOperator);
    assert.deepEqual([state, cancel["reason"]], ["cancelled", "ordered twice"]);
    assert.match(String(cancel["actor"]), /^operator:/);
    assert.ok(Date.now() - Number(cancel["at"]) < 60_000);
    assert.deepEqual((await shown(asViewer)).cancel, { ...cancel, actor: null });
  });

  test("of a host are counted with its lease, its last beat and its versions", async () => {
    const { runs, store, begin } = keeping();
    await begin("run-1");
    const [, last] = store.read("run-1");
    store.append("run-1", 2, [{ ...last, completed: [] } as never], "host");
    const of = { name: "shop", version: "2.3.1", began_at: 1_700_000_000_000 };
    store.beat("host", 60_000, { pid: 7, machine: "pod-1", axons: { ship: "1.0.0" }, ...of });
    const { app } = inspected({ runs });

    const { json } = await app.get("/api/v1/hosts", asViewer);
    const { hosts: rows, ...others } = (json as { readonly data: Awaited<ReturnType<KeptRuns["hosts"]>> })
      .data;
    const [row, ...more] = rows;
    assert.ok(row !== undefined && row.lease_left_ms > 50_000 && row.beat_ago_ms < 10_000);
    assert.deepEqual(
      [{ ...row, lease_left_ms: 0, beat_ago_ms: 0 }, more, others],
      [
        {
          ...{ host: "host", is_alive: true, beat_ago_ms: 0, lease_left_ms: 0, runs: 1 },
          ...{ pid: 7, machine: "pod-1", axons: [{ name: "ship", version: "1.0.0" }], ...of },
        },
        [],
        { draining: [], stores_unlisted: 0, workers_silent: 0 },
      ],
    );
  });

  test("of a store that lists neither nodes nor hosts are listed without them", async () => {
    const { runs: store, clock } = hosts();
    const { hosts: _, ...others } = store;
    const axon = adding({ ...others, unfinished: (filter) => plain(store.unfinished(filter)) }, []);
    store.append("a", 0, [beginning("sums")], "host");
    const runs = new KeptRuns({
      ...{ axons: [axon.definition], resources: Bus.of([]) as never, clock, reporter: () => {} },
      ...{ nodes: new DrawnNodes(() => []), capture: new PayloadCapture("off") },
    });

    const [row] = await runs.unfinished({});
    assert.deepEqual([row?.node, row?.owner], [null, { host: "host", is_alive: null }]);
    assert.deepEqual(await runs.hosts(), { hosts: [], draining: [], stores_unlisted: 1 });
  });

  test("of another version, which no migration leads to this one, stay where they are", async () => {
    const { runs, begin } = keeping({ version: "1.0.0", known: "2.0.0" });
    await begin("run-1");

    assert.equal(codeOf(await runs.resume("run-1", {})), "KEPT_RUN_UNFIT");
    assert.equal((await runs.unfinished({})).length, 1);
  });

  test("that need what this server has not stay where they are, and it is said what", async () => {
    const { runs, begin } = keeping({ needs: true });
    await begin("run-1");

    const resumed = await runs.resume("run-1", {});
    assert.equal(codeOf(resumed), "KEPT_RUN_UNFIT");
    assert.match(JSON.stringify(resumed), /Packer/);
    assert.equal((await runs.unfinished({})).length, 1);
  });

  test("go on behind an answer that does not wait for them", async () => {
    const { runs, begin, clock, holds, steps } = keeping();
    await begin("run-1");
    const resuming = runs.resume("run-1", {});
    await until("it goes on", () => steps.length === 2);
    await clock.advance(5000);

    assert.deepEqual(await resuming, {
      ...{ run_id: "run-1", circuit: "ship", node: "ship/pack" },
      ...{ result: "running", outcome: { kind: "off" } },
    });
    holds.letGo();
    await until("it has ended", async () => (await runs.unfinished({})).length === 0);
  });

  test("are reached over the Inspector, by operators where something is done", async () => {
    const { runs, begin, holds } = keeping();
    await begin("run-1");
    holds.isOn = false;
    const { app } = inspected({ runs });

    const listed = (await app.get("/api/v1/runs?circuit=ship", asViewer)).json as any;
    assert.deepEqual([listed.kind, listed.data.runs.length], ["inspector.unfinished_runs.v1", 1]);
    assert.equal(((await app.get("/api/v1/runs/run-1", asViewer)).json as any).data.label, "pack");
    assert.equal((await app.post("/api/v1/runs/run-1/resume", asViewer)).status, 403);
    const bad = await app.post("/api/v1/runs/run-1/resume", { ...asOperator, json: { force: "yes" } });
    assert.equal(bad.status, 422);
    const resumed = (await app.post("/api/v1/runs/run-1/resume", asOperator)).json as any;
    assert.deepEqual([resumed.kind, resumed.data.result], ["inspector.run_resumed.v1", "completed"]);
    assert.equal((await app.get("/api/v1/runs/none", asViewer)).status, 404);
  });

  test("are nothing that a server without a store can show", async () => {
    const { app } = inspected();

    assert.equal((await app.get("/api/v1/runs", asViewer)).status, 501);
  });
});
