// What operators see of runs that go on from another one: nothing that this one has hidden.

import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";

import {
  Axon,
  Framework,
  fault,
  header,
  json,
  MemoryDeadLetters,
  MemoryRuns,
  MigrationStrategy,
  redrive,
  Sensitive,
  Type,
  transition,
} from "framework";
import { TestApp } from "framework/http";
import { inspectorOf } from "framework/inspector";
import { until } from "../../support/patience.js";

const SECRET = "SECRET-4111-2222";
const WITHHELD = { kind: "withheld" };
const Auth = header("authorization");

const FULL = { capturePayloads: "full" } as const;
const server = () => Framework.http({ reporter: () => {} });

/** Served behind an Inspector, from where all that it says is read. */
async function watched(t: TestContext, ingress: Parameters<typeof inspectorOf>[0], app: TestApp<any>) {
  await app.start();
  t.after(() => app.close());
  const inspector = inspectorOf(ingress);
  const headers = { host: "localhost", authorization: `Bearer ${inspector.token}` };
  const get = async (path: string): Promise<any> =>
    ((await inspector.app.get(path, { headers })).json as any).data;
  const post = async (path: string, sent: unknown = {}): Promise<any> =>
    ((await inspector.app.post(path, { headers, json: sent })).json as any).data;
  return { app, get, post };
}

/** Stops in its second step until it is let go. */
function stopping() {
  const world = { hangs: true, letGo: () => {} };
  const wait = (given: unknown): unknown =>
    world.hangs ? new Promise((resolve) => (world.letGo = () => resolve(given))) : given;
  return { kept: new MemoryRuns(), world, wait };
}

type Stopping = ReturnType<typeof stopping>;
type Watched = Awaited<ReturnType<typeof watched>>;

/** What the Inspector says of a run that it resumes: the answer, and its trace. */
async function resumed(t: TestContext, { kept, world }: Stopping, { get, post }: Watched) {
  await until("the run is at its second step", () => kept.unfinished().length === 1);
  world.hangs = false;
  t.after(() => world.letGo());
  const id = kept.unfinished()[0]?.id ?? "";
  const { input: before } = await get(`/api/v1/runs/${id}`);
  const answer = await post(`/api/v1/runs/${id}/resume`, { force: true });
  const { newest_run_id, input } = await get(`/api/v1/runs/${id}`);
  assert.deepEqual([input, has(before)], [WITHHELD, false]);
  const trace = await get(`/api/v1/traces/${newest_run_id}`);
  assert.deepEqual(trace.run.goes_on, { kind: "resume", id });
  return { before, answer, trace };
}

const has = (shown: unknown): boolean => JSON.stringify(shown).includes("SECRET");

describe("a resumed run in the Inspector", () => {
  test("shows no value, for its log does not say what its request's schema marks", async (t) => {
    const store = stopping();
    const Cards = Type.Array(Sensitive(Type.String()));
    const axon = Axon.start("store", Cards)
      .thenFn("note", (cards) => ({ note: `got ${cards[0]}` }))
      .thenFn("wait", store.wait as (given: { note: string }) => { note: string })
      .thenFn("end", ({ note }) => ({ note }))
      .withPersistenceStore(store.kept);
    const ingress = server()
      .post("/s", axon, { input: json(Cards) })
      .inspector(FULL);
    const at = await watched(t, ingress, new TestApp(ingress));
    at.app.post("/s", { json: [SECRET] }).catch(() => {});
    const { before, answer, trace } = await resumed(t, store, at);

    assert.deepEqual(before, { kind: "full", value: { note: "got [redacted]" }, is_cut: false });
    assert.deepEqual([answer.result, answer.outcome], ["completed", WITHHELD]);
    assert.deepEqual(
      trace.nodes.map(({ node, input, output }: any) => [node, input, output]),
      [
        ["store/wait", WITHHELD, WITHHELD],
        ["store/end", WITHHELD, WITHHELD],
      ],
    );
    assert.ok(!has([answer, trace, (await at.get("/api/v1/traces")).traces]));
  });

  test("shows no header that a step has copied, and of its fault what that is called", async (t) => {
    const store = stopping();
    const axon = Axon.start("store")
      .then(transition({ name: "a", reads: [Auth], run: (_: unknown, bus) => `for ${bus.get(Auth)}` }))
      .thenFn("wait", store.wait as (given: string) => string)
      .thenFn("end", (note) => {
        if (note !== "") throw new Error(note);
        return fault({ kind: "down", note });
      })
      .withPersistenceStore(store.kept);
    const ingress = server().post("/s", axon).inspector(FULL);
    const at = await watched(t, ingress, new TestApp(ingress));
    at.app.post("/s", { headers: { authorization: `Custom ${SECRET}` } }).catch(() => {});
    const { before, answer, trace } = await resumed(t, store, at);

    assert.equal(before.kind, "full");
    assert.deepEqual([answer.result, trace.run.status], ["faulted", "faulted"]);
    const { code, detail } = trace.run.fault;
    assert.deepEqual([code, detail, answer.outcome.value.code], ["INTERNAL_ERROR", null, "INTERNAL_ERROR"]);
    assert.ok(!has([answer, trace, (await at.get("/api/v1/traces")).traces]));
  });

  test("shows no value where it goes on by an old version's schemas, nor where it is held", async (t) => {
    const store = stopping();
    const Old = Type.Object({ sku: Type.String(), plate: Sensitive(Type.String()) });
    const old = Axon.start("store", Old)
      .thenFn("a", (given) => given)
      .thenFn("wait", store.wait as (given: { sku: string }) => { sku: string })
      .thenFn("end", ({ sku }) => sku)
      .withVersion("1.0.0")
      .withPersistenceStore(store.kept);
    void old.execute({ sku: "tea", plate: SECRET });
    const mounted = Axon.start("store", Type.Object({ sku: Type.String() }))
      .thenFn("wait", ({ sku }) => sku)
      .withVersion("2.0.0")
      .withPersistenceStore(store.kept, {
        migrations: [{ from: "1.0.0", strategy: MigrationStrategy.completeOnOldVersion(old) }],
      });
    const ingress = server().post("/s", mounted).inspector(FULL);
    const at = await watched(t, ingress, new TestApp(ingress));
    await at.post("/api/v1/breakpoints", { node_id: "store/wait" });
    const going = resumed(t, store, at);
    let held: any;
    await until("it is held", async () => {
      [held] = (await at.get("/api/v1/paused")).paused;
      return held !== undefined;
    });
    await at.post(`/api/v1/paused/${held.id}/resume`);
    const { before, answer, trace } = await going;

    assert.deepEqual([answer.result, before, held.input], ["completed", WITHHELD, WITHHELD]);
    assert.ok(!has([answer, held, trace]));
  });
});

describe("a kept run under way in the Inspector", () => {
  test("shows its input where all its values were looked at, and no more", async (t) => {
    const Late = Type.Object({ pin: Sensitive(Type.String()) });
    for (const [steps, kind] of [
      [10, "full"],
      [300, "withheld"],
    ] as const) {
      const store = stopping();
      let axon: any = Axon.start("store");
      for (let n = 0; n < steps; n += 1) axon = axon.thenFn(`step ${n}`, (given: unknown) => given);
      axon = axon
        .then(transition({ name: "make", output: Late, run: () => ({ pin: SECRET }) }))
        .thenFn("copy", ({ pin }: typeof Late.static) => ({ note: `got ${pin}` }))
        .thenFn("wait", store.wait)
        .withPersistenceStore(store.kept);
      const ingress = server().post("/s", axon).inspector(FULL);
      const at = await watched(t, ingress as never, new TestApp<any>(ingress as never, {}));
      at.app.post("/s", { json: {} }).catch(() => {});
      const id = (): string => store.kept.unfinished()[0]?.id ?? "";
      await until("the run waits", async () => {
        return id() !== "" && (await at.get(`/api/v1/runs/${id()}`)).node === "store/wait";
      });
      const { input } = await at.get(`/api/v1/runs/${id()}`);

      assert.deepEqual([input.kind, has(input)], [kind, false], `${steps} steps`);
      store.world.letGo();
    }
  });
});

const Order = Type.Object({ n: Type.Number(), card: Sensitive(Type.String()) });

/** Pays for orders, which fails as long as the bank is down. */
function shop() {
  const letters = new MemoryDeadLetters();
  const axon = Axon.start("shop", Order)
    .thenFn("price", ({ n, card }) => ({ n, note: `paid by ${card}` }))
    .thenFn("pay", ({ note }) => fault({ kind: "down", of: note }))
    .withDlqSink(letters);
  return { letters, axon };
}

describe("a letter that is done again in the Inspector", () => {
  test("shows no secret of its own run, whichever others began in the same millisecond", async (t) => {
    const { axon } = shop();
    const ingress = server().post("/buy", axon).inspector(FULL);
    const at = await watched(t, ingress, new TestApp(ingress));
    t.mock.method(Date, "now", () => 1_800_000_000_000);
    const orders = [1, 2, 3, 4, 5, 6].map((n) => ({ n, card: `SECRET-${n}${n}${n}${n}` }));
    await Promise.all(orders.map((order) => at.app.post("/buy", { json: order })));
    const { letters } = await at.get("/api/v1/dlq");

    assert.equal(letters.length, 6);
    for (const { id, run_id, input } of letters) {
      assert.equal(input.value.note, "paid by [redacted]");
      const again = await at.post(`/api/v1/dlq/${id}/redrive`);
      const traces = [
        await at.get(`/api/v1/traces/${run_id}`),
        await at.get(`/api/v1/traces/${again.run_id}`),
      ];
      assert.equal(traces[1].nodes[0].input.value.note, "paid by [redacted]");
      assert.ok(!has([again, traces]));
    }
    assert.ok(!has([letters, await at.get("/api/v1/dlq")]));
  });

  test("shows no value where nobody knows what its run has hidden", async (t) => {
    const { letters, axon } = shop();
    const ingress = server().post("/buy", axon).inspector(FULL);
    const at = await watched(t, ingress, new TestApp(ingress));
    await at.app.post("/buy", { json: { n: 1, card: SECRET } });
    const [letter] = letters.list();
    assert.ok(letter !== undefined);
    const { run_id: _, ...unnamed } = letter;
    for (const other of [unnamed, { ...letter, run_id: "0000000000-1" }]) {
      letters.send(other);
      const [row] = (await at.get("/api/v1/dlq")).letters;
      assert.deepEqual([row.input, has(row)], [WITHHELD, false]);
      // Twice: the second goes on from a run that showed nothing.
      for (const _ of [1, 2]) {
        const again = await at.post(`/api/v1/dlq/${letter.id}/redrive`);
        const trace = await at.get(`/api/v1/traces/${again.run_id}`);
        assert.deepEqual([again.result, again.outcome.detail], ["failed", null]);
        assert.deepEqual([trace.nodes[0].input, trace.run.fault.detail], [WITHHELD, null]);
        assert.ok(!has([again, trace]));
      }
    }
  });

  test("says that nothing is captured where that is so, whatever is known of it", async (t) => {
    const { letters, axon } = shop();
    const ingress = server().post("/buy", axon).inspector();
    const at = await watched(t, ingress, new TestApp(ingress));
    await at.app.post("/buy", { json: { n: 1, card: SECRET } });
    const [{ run_id: _, ...letter } = assert.fail()] = letters.list();
    letters.send(letter);
    const [row] = (await at.get("/api/v1/dlq")).letters;
    const again = await at.post(`/api/v1/dlq/${letter.id}/redrive`);
    const trace = await at.get(`/api/v1/traces/${again.run_id}`);

    assert.deepEqual([row.input, trace.nodes[0].input], [{ kind: "off" }, { kind: "off" }]);
  });

  test("is masked as before where it is kept by who has asked for it", async (t) => {
    const { letters, axon } = shop();
    const ingress = server().post("/buy", axon).inspector(FULL);
    const at = await watched(t, ingress, new TestApp(ingress));
    await at.app.post("/buy", { json: { n: 1, card: SECRET } });
    const [letter] = letters.list();
    assert.ok(letter !== undefined);
    // It lies in another store than its Axon's: the run that fails leaves no letter there.
    const elsewhere = new MemoryDeadLetters();
    elsewhere.send(letter);
    assert.equal((await redrive(elsewhere, letter.id, axon)).kind, "failed");
    const [again] = elsewhere.list();
    assert.ok(again?.run_id !== undefined && again.run_id !== letter.run_id);
    letters.send(again);

    const [row] = (await at.get("/api/v1/dlq")).letters;
    assert.equal(row.input.value.note, "paid by [redacted]");
    assert.ok(!has(row));
  });
});
