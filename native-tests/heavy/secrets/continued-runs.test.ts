// Dead letters that are done again and kept runs that go on, as the Inspector of who serves
// their circuit sees them.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, fault, MemoryDeadLetters, MemoryRuns, redrive, Type } from "framework";
import { TestApp } from "framework/http";
import { type InspectorOptions, inspectorOf } from "framework/inspector";
import { taken } from "../../support/kept-runs.js";
import { until } from "../../support/patience.js";

const Order = Type.Object({ sku: Type.String() });

/** A shop whose bank is down until told otherwise, and which an Inspector watches. */
async function shop(options: InspectorOptions = {}) {
  const bank = { isUp: false, asked: 0 };
  const letters = new MemoryDeadLetters();
  const axon = Axon.start("shop", Order)
    .thenFn("price", ({ sku }) => ({ sku }))
    .thenFn("pay", (order) => {
      bank.asked += 1;
      return bank.isUp ? { sku: order.sku } : fault({ kind: "down" });
    })
    .withDlqSink(letters);
  const ingress = Framework.http({ reporter: () => {} })
    .post("/buy", axon)
    .inspector({ capturePayloads: "full", ...options });
  const app = new TestApp(ingress);
  await app.start();
  await app.post("/buy", { json: { sku: "tea" } });
  return { bank, letters, axon, app, ...asking(ingress) };
}

/** A warehouse that stops in its second step until told otherwise. */
async function warehouse() {
  const world: { hangs: boolean; letGo: (n: number) => void } = { hangs: true, letGo: () => {} };
  const hanging = () => new Promise<number>((resolve) => (world.letGo = resolve));
  const kept = new MemoryRuns();
  const axon = Axon.start("store")
    .thenFn("price", () => 1)
    .thenFn("pack", (n) => (world.hangs ? hanging() : n + 1) as number)
    .withPersistenceStore(kept);
  const ingress = Framework.http({ reporter: () => {} })
    .post("/store", axon)
    .inspector();
  const app = new TestApp(ingress);
  await app.start();
  void app.post("/store").catch(() => {});
  await until("the run is at its second step", () => kept.unfinished().length === 1);
  world.hangs = false;
  const close = async (): Promise<void> => {
    world.letGo(0);
    await app.close();
  };
  return { kept, axon, close, id: kept.unfinished()[0]?.id ?? "", ...asking(ingress) };
}

function asking(ingress: Parameters<typeof inspectorOf>[0]) {
  const inspector = inspectorOf(ingress);
  const headers = { host: "localhost", authorization: `Bearer ${inspector.token}` };
  const get = async (path: string): Promise<any> => {
    const { json, status } = await inspector.app.get(path, { headers });
    assert.equal(status, 200, path);
    return (json as any).data;
  };
  const post = async (path: string, json: unknown = {}): Promise<any> =>
    ((await inspector.app.post(path, { headers, json })).json as any).data;
  return { get, post };
}

const letterOf = async ({ get }: ReturnType<typeof asking>): Promise<any> =>
  (await get("/api/v1/dlq")).letters[0];
const nodesOf = ({ nodes }: any): readonly string[] => nodes.map(({ node }: any) => node);

describe("a dead letter in the Inspector", () => {
  test("names the run that left it", async () => {
    const { app, ...at } = await shop();
    const { run_id } = await letterOf(at);
    const { run } = await at.get(`/api/v1/traces/${run_id}`);

    assert.deepEqual([run.request.path, run.status, run.goes_on], ["/buy", "faulted", null]);
    await app.close();
  });

  test("names the run of its newest re-drive, whose trace says what it did again", async () => {
    const { app, bank, ...at } = await shop();
    const before = await letterOf(at);
    const failed = await at.post(`/api/v1/dlq/${before.id}/redrive`);
    const after = await letterOf(at);
    assert.notEqual(after.run_id, before.run_id);
    assert.deepEqual([failed.result, failed.run_id], ["failed", after.run_id]);
    bank.isUp = true;
    const done = await at.post(`/api/v1/dlq/${before.id}/redrive`);

    for (const [run_id, status] of [
      [failed.run_id, "faulted"],
      [done.run_id, "completed"],
    ]) {
      const trace = await at.get(`/api/v1/traces/${run_id}`);
      assert.deepEqual([trace.run.status, trace.run.request], [status, null]);
      assert.deepEqual(trace.run.goes_on, { kind: "redrive", id: before.id });
      assert.deepEqual(nodesOf(trace).slice(0, 1), ["shop/pay"]);
    }
    await app.close();
  });

  test("is seen too where the program itself does it again, until the server has stopped", async () => {
    const { app, axon, letters, bank, ...at } = await shop({ sampleRatio: 0 });
    const { id } = await letterOf(at);
    const again = await redrive(letters, id, axon);
    assert.ok(again.kind === "failed" && again.runId !== undefined);
    const { run } = await at.get(`/api/v1/traces/${again.runId}`);
    assert.deepEqual([run.run_id, run.goes_on.id], [(await letterOf(at)).run_id, id]);
    assert.deepEqual((await at.get("/api/v1/traces")).traces.length, 1, "whatever is sampled");
    await app.close();
    bank.isUp = true;
    const done = await redrive(letters, id, axon);

    assert.ok(done.kind === "done" && !("runId" in done));
  });

  test("is one letter to alerts, however often its re-drive fails where it did", async () => {
    const { app, ...at } = await shop();
    const { id } = await letterOf(at);
    for (const _ of [1, 2]) assert.equal((await at.post(`/api/v1/dlq/${id}/redrive`)).result, "failed");
    const causes = async (): Promise<readonly unknown[]> =>
      (await at.get("/api/v1/alerts")).alerts.map(({ node, cause }: any) => [node, cause]);
    assert.deepEqual(await causes(), [["shop/pay", "It left a dead letter"]]);
    await app.post("/buy", { json: { sku: "pot" } });

    assert.deepEqual(await causes(), [["shop/pay", "It left 2 dead letters"]]);
    await app.close();
  });

  test("is another node's to alerts where its re-drive fails there", async () => {
    const world = { fails: "pay" };
    const letters = new MemoryDeadLetters();
    const failing = (step: string) => () => (world.fails === step ? fault({ kind: "down" }) : step);
    const axon = Axon.start("shop")
      .thenFn("pay", failing("pay"))
      .thenFn("ship", failing("ship"))
      .withDlqSink(letters);
    const ingress = Framework.http({ reporter: () => {} })
      .post("/buy", axon)
      .inspector();
    const app = new TestApp(ingress);
    await app.start();
    await app.post("/buy");
    world.fails = "ship";
    const { id } = letters.list()[0] as { readonly id: string };
    for (const _ of [1, 2]) assert.equal((await redrive(letters, id, axon)).kind, "failed");

    const { alerts } = await asking(ingress).get("/api/v1/alerts");
    assert.deepEqual(
      alerts.map(({ node, cause }: any) => [node, cause]),
      [
        ["shop/ship", "It left a dead letter"],
        ["shop/pay", "It left a dead letter"],
      ],
    );
    await app.close();
  });

  test("is held by a breakpoint, and left out of the figures", async () => {
    const { app, bank, ...at } = await shop();
    const { id } = await letterOf(at);
    await at.post("/api/v1/breakpoints", { node_id: "shop/pay" });
    const redriven = at.post(`/api/v1/dlq/${id}/redrive`);
    let held: any;
    await until("it is held", async () => {
      [held] = (await at.get("/api/v1/paused")).paused;
      return held !== undefined;
    });
    assert.equal(bank.asked, 1);
    await at.post(`/api/v1/paused/${held.id}/resume`);

    assert.equal((await redriven).run_id, held.run_id);
    assert.equal(bank.asked, 2);
    // Its figures are there before those of what ends behind it.
    await app.post("/buy", { json: { sku: "pot" } });
    let figures: any;
    await until("both requests count", async () => {
      figures = await at.get("/api/v1/metrics/shop");
      return figures.total >= 2;
    });
    assert.deepEqual([figures.total, figures.windows.at(-1).samples], [2, 2]);
    await app.close();
  });
});

describe("a dead letter whose re-drive is held for longer than the answer waits", () => {
  test("is running, and knows its run", async () => {
    const { app, ...at } = await shop();
    const { id } = await letterOf(at);
    await at.post("/api/v1/breakpoints", { node_id: "shop/pay" });
    const { result, run_id } = await at.post(`/api/v1/dlq/${id}/redrive`);
    const { paused } = await at.get("/api/v1/paused");

    assert.deepEqual([result, run_id], ["running", paused[0].run_id]);
    await at.post(`/api/v1/paused/${paused[0].id}/resume`);
    await until("the letter has been tried once more", async () => (await letterOf(at)).attempts === 2);
    assert.equal((await letterOf(at)).run_id, run_id);
    await app.close();
  });
});

describe("a kept run in the Inspector", () => {
  test("names the run that goes on with it, whose trace says so", async () => {
    const { close, id, ...at } = await warehouse();
    const before = (await at.get(`/api/v1/runs/${id}`)).newest_run_id;
    const { result } = await at.post(`/api/v1/runs/${id}/resume`, { force: true });
    const { newest_run_id, state } = await at.get(`/api/v1/runs/${id}`);
    const trace = await at.get(`/api/v1/traces/${newest_run_id}`);

    assert.deepEqual([result, state], ["completed", "completed"]);
    assert.match(before, /^[0-9a-f]{10}-/);
    assert.notEqual(newest_run_id, before);
    assert.deepEqual(trace.run.goes_on, { kind: "resume", id });
    assert.equal(trace.run.request, null);
    assert.deepEqual(nodesOf(trace).slice(0, 1), ["store/pack"]);
    await close();
  });

  test("is seen too where the program itself goes on with it", async () => {
    const { close, axon, id, ...at } = await warehouse();
    assert.equal(await taken(axon, id), 2);
    const { newest_run_id } = await at.get(`/api/v1/runs/${id}`);

    assert.deepEqual((await at.get(`/api/v1/traces/${newest_run_id}`)).run.goes_on, { kind: "resume", id });
    await close();
  });

  test("has nothing in its log of who watches where nobody does", async () => {
    const { close, axon, id, kept } = await warehouse();
    await close();
    await taken(axon, id);

    assert.deepEqual(
      kept.read(id).filter((entry) => "watched_as" in entry).length,
      1,
      "the request's run, which was watched",
    );
  });

  test("names no run where a store has what is none", async () => {
    const { close, id, kept, ...at } = await warehouse();
    const { read } = kept;
    for (const watched_as of [7, null, "<b>", "a".repeat(100)]) {
      Object.assign(kept, { read: (run: string) => read(run).map((entry) => ({ ...entry, watched_as })) });
      assert.equal((await at.get(`/api/v1/runs/${id}`)).newest_run_id, null);
    }
    await close();
  });
});
